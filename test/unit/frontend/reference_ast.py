#!/usr/bin/env python3
"""Rewrites the expected trees of ParserCases.txt from CPython's own parser.

The file holds cases `=== name`, the source, `---`, the tree. The trees are what
CPython 3.12's `ast` module says, in the form of `tlc compile --emit ast`, so
they are independent of our parser. Run it with Python 3.12 after adding cases.
"""

import ast
import pathlib
import sys

SPELLING = {
    "Add": "+", "Sub": "-", "Mult": "*", "MatMult": "@", "Div": "/",
    "FloorDiv": "//", "Mod": "%", "Pow": "**", "LShift": "<<", "RShift": ">>",
    "BitAnd": "&", "BitOr": "|", "BitXor": "^", "Not": "not", "Invert": "~",
    "UAdd": "+", "USub": "-", "And": "and", "Or": "or", "Eq": "==",
    "NotEq": "!=", "Lt": "<", "LtE": "<=", "Gt": ">", "GtE": ">=", "Is": "is",
    "IsNot": "is not", "In": "in", "NotIn": "not in",
}  # fmt: skip


def spelling(op):
    return SPELLING[type(op).__name__]


def place(line, column, end_line, end_column):
    return f"{line}:{column + 1}-{end_line}:{end_column + 1}"


def span(node):
    return place(
        node.lineno, node.col_offset, node.end_lineno, node.end_col_offset
    )


def shortest(value):
    """The shortest %g text that reads back as the value."""
    for digits in range(1, 18):
        text = f"%.{digits}g" % value
        if float(text) == value:
            break
    return text


def quoted(data):
    named = {ord("\\"): "\\\\", ord("\t"): "\\t", ord("\n"): "\\n",
             ord('"'): '\\"'}  # fmt: skip
    return '"' + "".join(
        named.get(c) or (chr(c) if 32 <= c < 127 else f"\\x{c:02X}")
        for c in data
    ) + '"'


def constant(value):
    if value is None or isinstance(value, bool):
        return str(value)
    if value is Ellipsis:
        return "..."
    if isinstance(value, int):
        return f"int {value}"
    if isinstance(value, float):
        return f"float {shortest(value)}"
    if isinstance(value, complex):
        return f"complex {shortest(value.imag)}j"
    if isinstance(value, bytes):
        return f"bytes {quoted(value)}"
    return f"str {quoted(value.encode())}"


class Tree:
    """Collects lines; `with tree.node(...)` indents what it holds."""

    def __init__(self):
        self.out, self.depth = [], 0

    def node(self, label, *words):
        head = "(" + " ".join(w for w in words if w)
        indent = "\n" + "  " * self.depth if self.depth else ""
        self.out.append(indent + (label + " " if label else "") + head)
        return self

    def __enter__(self):
        self.depth += 1

    def __exit__(self, *_):
        self.depth -= 1
        self.out.append(")")

    def name(self, label, where, text):
        with self.node(label, "name", where, text):
            pass

    # ---- what needs more than its fields in order -----------------------------

    def params(self, args):
        positional = args.posonlyargs + args.args
        defaults = [None] * (len(positional) - len(args.defaults))
        only = len(args.posonlyargs)
        rows = [
            ("positional-only " if i < only else "", arg, default)
            for i, (arg, default) in enumerate(
                zip(positional, defaults + args.defaults)
            )
        ]
        rows += [("*", args.vararg, None)] if args.vararg else []
        rows += [
            ("keyword-only ", arg, default)
            for arg, default in zip(args.kwonlyargs, args.kw_defaults)
        ]
        rows += [("**", args.kwarg, None)] if args.kwarg else []
        for kind, arg, default in rows:
            end = default or arg
            where = place(
                arg.lineno, arg.col_offset, end.end_lineno, end.end_col_offset
            )
            with self.node("", "param", where, kind + arg.arg):
                self.put("annotation", arg.annotation)
                self.put("default", default)

    def type_params(self, params):
        prefixes = {"TypeVar": "", "TypeVarTuple": "*", "ParamSpec": "**"}
        for param in params:
            prefix = prefixes[type(param).__name__]
            begin = param.col_offset + len(prefix)
            line = param.lineno
            where = place(line, begin, line, begin + len(param.name))
            with self.node("", "type-param", where, prefix + param.name):
                self.put("bound", getattr(param, "bound", None))

    def aliases(self, names):
        for alias in names:
            line, begin = alias.lineno, alias.col_offset
            self.name(
                "", place(line, begin, line, begin + len(alias.name)), alias.name
            )
            if alias.asname:
                end = alias.end_col_offset
                where = place(line, end - len(alias.asname), line, end)
                self.name("as", where, alias.asname)

    def keywords(self, keywords):
        for keyword in keywords:
            with self.node("", "keyword", span(keyword), keyword.arg or "**"):
                self.put("value", keyword.value)

    def clauses(self, clauses):
        for clause in clauses:
            with self.node("", "async for" if clause.is_async else "for"):
                self.put("target", clause.target)
                self.put("iter", clause.iter)
                self.put("if", clause.ifs)

    # ---- nodes ----------------------------------------------------------------

    def put(self, label, node):
        if node is None:
            return
        if isinstance(node, list):
            for child in node:
                self.put(label, child)
            return
        kind = type(node).__name__
        is_async = kind.startswith("Async")
        kind = kind.removeprefix("Async").replace("TryStar", "Try")
        words = getattr(self, kind + "_words", lambda _: "")(node)
        words = " ".join(w for w in ("async" if is_async else "", words) if w)
        with self.node(label, kind, span(node), words):
            getattr(self, kind, self.fields)(node)

    #: field -> label, for nodes whose fields are printed in their order
    LABELS = {
        "func": "callee", "args": "arg", "elts": "", "values": "",
        "slice": "index", "targets": "target", "orelse": "else",
        "finalbody": "finally", "elt": "element", "decorator_list": "decorator",
        "bases": "base", "format_spec": "format",
    }  # fmt: skip

    def fields(self, node):
        for field, value in ast.iter_fields(node):
            if isinstance(value, ast.arguments):
                self.params(value)
            elif field == "keywords":
                self.keywords(value)
            elif field == "generators":
                self.clauses(value)
            elif field == "type_params":
                self.type_params(value)
            elif isinstance(value, (ast.AST, list)) and not isinstance(
                value, (ast.expr_context, ast.operator, ast.unaryop, ast.boolop)
            ):
                self.put(self.LABELS.get(field, field), value)

    def Constant_words(self, node):
        return constant(node.value)

    def Name_words(self, node):
        return node.id

    def Attribute_words(self, node):
        return node.attr

    def BinOp_words(self, node):
        return spelling(node.op)

    UnaryOp_words = BoolOp_words = BinOp_words

    def AugAssign_words(self, node):
        return spelling(node.op) + "="

    def FormattedValue_words(self, node):
        return "" if node.conversion == -1 else "!" + chr(node.conversion)

    def FunctionDef_words(self, node):
        return node.name

    ClassDef_words = FunctionDef_words

    def ImportFrom_words(self, node):
        return "." * node.level + (node.module or "")

    def MatchAs_words(self, node):
        return node.name or ""

    MatchStar_words = MatchAs_words

    def MatchMapping_words(self, node):
        return node.rest or ""

    def Constant(self, node):
        pass

    def BoolOp(self, node):
        self.put("value", node.values)

    def Compare(self, node):
        self.put("left", node.left)
        for op, operand in zip(node.ops, node.comparators):
            self.put(spelling(op), operand)

    def Dict(self, node):
        for key, value in zip(node.keys, node.values):
            self.put("key", key)
            self.put("value" if key else "**", value)

    def IfExp(self, node):
        self.put("test", node.test)
        self.put("body", node.body)
        self.put("else", node.orelse)

    def FunctionDef(self, node):
        self.put("decorator", node.decorator_list)
        self.type_params(node.type_params)
        self.params(node.args)
        self.put("returns", node.returns)
        self.put("body", node.body)

    def ClassDef(self, node):
        self.put("decorator", node.decorator_list)
        self.type_params(node.type_params)
        self.put("base", node.bases)
        self.keywords(node.keywords)
        self.put("body", node.body)

    def TypeAlias(self, node):
        self.name("", span(node.name), node.name.id)
        self.type_params(node.type_params)
        self.put("value", node.value)

    def Import(self, node):
        self.aliases(node.names)

    ImportFrom = Import

    def With(self, node):
        for item in node.items:
            self.put("context", item.context_expr)
            self.put("as", item.optional_vars)
        self.put("body", node.body)

    def Try(self, node):
        self.put("body", node.body)
        star = "except*" if isinstance(node, ast.TryStar) else "except"
        for handler in node.handlers:
            assert not handler.name, "the tree does not say where the name is"
            with self.node("", star, span(handler)):
                self.put("type", handler.type)
                self.put("body", handler.body)
        self.put("else", node.orelse)
        self.put("finally", node.finalbody)

    def Match(self, node):
        self.put("subject", node.subject)
        for case in node.cases:
            with self.node("", "case"):
                self.put("pattern", case.pattern)
                self.put("guard", case.guard)
                self.put("body", case.body)

    def MatchSingleton(self, node):
        with self.node("value", "Constant", span(node), str(node.value)):
            pass

    def MatchSequence(self, node):
        self.put("", node.patterns)

    MatchOr = MatchSequence

    def MatchMapping(self, node):
        self.put("key", node.keys)
        self.put("", node.patterns)

    def MatchClass(self, node):
        self.put("value", node.cls)
        self.put("", node.patterns)
        for name, pattern in zip(node.kwd_attrs, node.kwd_patterns):
            self.put(name, pattern)


def dump(source):
    tree = Tree()
    with tree.node("", "Module"):
        tree.put("body", ast.parse(source).body)
    return "".join(tree.out)


def main():
    assert sys.version_info[:2] == (3, 12), "positions are those of Python 3.12"
    path = pathlib.Path(__file__).with_name("ParserCases.txt")
    head, *cases = path.read_text().split("=== ")
    for i, case in enumerate(cases):
        name, rest = case.split("\n", 1)
        source = rest.split("---\n", 1)[0]
        cases[i] = f"{name}\n{source}---\n{dump(source)}\n"
    path.write_text(head + "".join("=== " + case for case in cases))


if __name__ == "__main__":
    main()
