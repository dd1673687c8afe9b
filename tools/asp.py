"""Prefix GDL and GDL-II as answer-set programs, and clingo's answers about positions.

This file shares no code with Magister: it has its own reader for the text of the rules.
"""

from __future__ import annotations

import itertools
import re
from dataclasses import dataclass

import clingo

# ---------------------------------------------------------------------------------------------
# Reading: a term is a name, or a tuple of terms whose first element is the functor.

Term = str | tuple["Term", ...]

KEYWORDS = {
    "role",
    "init",
    "true",
    "does",
    "next",
    "legal",
    "goal",
    "terminal",
    "sees",
    "base",
    "input",
    "distinct",
    "not",
    "or",
    "and",
}


class Untranslatable(Exception):
    """Rules or a game that this judge does not support; the text gives the reason."""


def read(text: str) -> list[Term]:
    """The expressions of a KIF text."""
    text = re.sub(r";[^\n\r]*", " ", text)
    stack: list[list[Term]] = [[]]
    for token in re.findall(r"[()]|[^\s()]+", text):
        if token == "(":
            stack.append([])
        elif token == ")":
            if len(stack) == 1:
                raise Untranslatable("a closing parenthesis has no opening one")
            done = tuple(stack.pop())
            stack[-1].append(done)
        else:
            stack[-1].append(token.lower() if token.lower() in KEYWORDS else token)
    if len(stack) > 1:
        raise Untranslatable("a parenthesis is not closed")
    return stack[0]


def kif(term: Term) -> str:
    """The text of a term."""
    return term if isinstance(term, str) else f"({' '.join(map(kif, term))})"


# ---------------------------------------------------------------------------------------------
# Normal form: rules whose bodies are plain lists of literals.


@dataclass(frozen=True)
class Literal:
    """An atom or an (un)equality of two terms, possibly negated."""

    positive: bool
    atom: Term  # ("distinct", a, b) for an inequality

    @property
    def is_comparison(self) -> bool:
        return isinstance(self.atom, tuple) and self.atom[:1] == ("distinct",)


@dataclass(frozen=True)
class Rule:
    head: Term
    body: tuple[Literal, ...]


MOST_ALTERNATIVES = 4096


def alternatives(condition: Term, positive: bool = True) -> list[tuple[Literal, ...]]:
    """A condition as a disjunction of conjunctions of literals."""
    functor = condition[0] if isinstance(condition, tuple) and condition else None
    arguments = condition[1:] if isinstance(condition, tuple) else ()
    if functor == "not":
        if len(arguments) != 1:
            raise Untranslatable("`not` with more or fewer than one argument")
        return alternatives(arguments[0], not positive)
    if functor in ("and", "or"):
        parts = [alternatives(argument, positive) for argument in arguments]
        if (functor == "and") == positive:
            return conjunction(parts)
        return list(itertools.chain.from_iterable(parts))
    return [(Literal(positive, condition),)]


def conjunction(parts: list[list[tuple[Literal, ...]]]) -> list[tuple[Literal, ...]]:
    size = 1
    for part in parts:
        size *= len(part)
    if size > MOST_ALTERNATIVES:
        raise Untranslatable(f"a rule with {size} alternatives")
    return [tuple(itertools.chain(*choice)) for choice in itertools.product(*parts)]


def rules_of(expressions: list[Term]) -> list[Rule]:
    rules: list[Rule] = []
    for expression in expressions:
        if isinstance(expression, tuple) and expression[:1] == ("<=",):
            if len(expression) < 2:
                raise Untranslatable("a rule without a head")
            body = conjunction([alternatives(condition) for condition in expression[2:]])
            rules.extend(Rule(expression[1], literals) for literals in body)
        else:
            rules.append(Rule(expression, ()))
    return rules


Relation = tuple[str, int]


def relation(atom: Term) -> Relation:
    """Name and number of arguments; -1 for a proposition without parentheses, which differs from
    one with parentheses."""
    if isinstance(atom, str):
        return atom, -1
    if not atom or not isinstance(atom[0], str):
        raise Untranslatable("an atom without a name")
    return atom[0], len(atom) - 1


# The queries about a position.
QUERIES: list[Relation] = [
    ("role", 1),
    ("init", 1),
    ("next", 1),
    ("legal", 2),
    ("goal", 2),
    ("sees", 2),
    ("terminal", -1),
]
# The input relations.
GIVEN: list[Relation] = [("true", 1), ("does", 2)]


def dependencies(rules: list[Rule]) -> dict[Relation, set[Relation]]:
    needs: dict[Relation, set[Relation]] = {}
    for rule in rules:
        body = needs.setdefault(relation(rule.head), set())
        body.update(relation(literal.atom) for literal in rule.body if not literal.is_comparison)
    return needs


def closure(start: set[Relation], edges: dict[Relation, set[Relation]]) -> set[Relation]:
    reached, front = set(start), list(start)
    while front:
        for other in edges.get(front.pop(), ()):
            if other not in reached:
                reached.add(other)
                front.append(other)
    return reached


# ---------------------------------------------------------------------------------------------
# Translation. Names are strings and compound terms tuples, so no name can clash with the syntax
# of clingo. Relations that depend on the position have its number as their first argument, so
# that all other relations are grounded once.


def identifier(name: str) -> str:
    return re.sub(r"[^A-Za-z0-9]", lambda match: f"_{ord(match[0]):x}_", name)


def asp_term(term: Term) -> str:
    if isinstance(term, tuple):
        inner = ",".join(asp_term(argument) for argument in term)
        return f"({inner},)" if len(term) == 1 else f"({inner})"
    if term.startswith("?"):
        return "V" + identifier(term[1:])
    escaped = term.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def predicate(of: Relation) -> str:
    name, arity = of
    return ("p_" if arity == -1 else "r_") + identifier(name)


def asp_atom(atom: Term, dynamic: set[Relation], time: str = "t") -> str:
    of = relation(atom)
    arguments = [asp_term(argument) for argument in atom[1:]] if isinstance(atom, tuple) else []
    if of in dynamic:
        arguments.insert(0, time)
    return predicate(of) + (f"({','.join(arguments)})" if arguments else "")


def asp_literal(literal: Literal, dynamic: set[Relation]) -> str:
    if literal.is_comparison:
        if len(literal.atom) != 3:
            raise Untranslatable("`distinct` with more or fewer than two arguments")
        left, right = (asp_term(side) for side in literal.atom[1:])
        return f"{left} {'!=' if literal.positive else '='} {right}"
    return ("" if literal.positive else "not ") + asp_atom(literal.atom, dynamic)


def asp_rule(rule: Rule, dynamic: set[Relation]) -> str:
    head = asp_atom(rule.head, dynamic)
    if not rule.body:
        return f"{head}."
    return f"{head} :- {', '.join(asp_literal(literal, dynamic) for literal in rule.body)}."


@dataclass
class Program:
    """The rules as text for clingo: the static part, and the part that depends on the position."""

    static: str
    position: str
    dynamic: set[Relation]


def translate(text: str) -> Program:
    rules = rules_of(read(text))
    needs = dependencies(rules)
    asked = closure(set(QUERIES), needs)
    rules = [rule for rule in rules if relation(rule.head) in asked]
    users: dict[Relation, set[Relation]] = {}
    for user, used in needs.items():
        for one in used:
            users.setdefault(one, set()).add(user)
    # Queried in every position, even if static.
    dynamic = closure({*GIVEN, *QUERIES} - {("role", 1), ("init", 1)}, users)
    lines: dict[bool, list[str]] = {True: [], False: []}
    for rule in rules:
        lines[relation(rule.head) in dynamic].append(asp_rule(rule, dynamic))
    return Program("\n".join(lines[False]), "\n".join(lines[True]), dynamic)


# ---------------------------------------------------------------------------------------------
# Calls of clingo.


def term_of(symbol: clingo.Symbol) -> Term:
    if symbol.type == clingo.SymbolType.String:
        return symbol.string
    return tuple(term_of(argument) for argument in symbol.arguments)


@dataclass
class Answers:
    """The extensions of the queries for one position."""

    of: dict[Relation, set[tuple[Term, ...]]]

    def by_role(self, name: str, role: Term) -> set[Term]:
        return {rest for whose, rest in self.of[(name, 2)] if whose == role}

    def terms(self, name: str) -> set[Term]:
        return {term for (term,) in self.of[(name, 1)]}

    @property
    def terminal(self) -> bool:
        return bool(self.of[("terminal", -1)])


class Judge:
    """One game's rules, and clingo."""

    def __init__(self, program: Program) -> None:
        self.dynamic = program.dynamic
        self.control = clingo.Control(["--models=2"], logger=self.log, message_limit=20)
        self.errors: list[str] = []
        self.asked = 0
        try:
            self.control.add("base", [], program.static)
            self.control.add("position", ["t"], program.position)
            self.control.ground([("base", [])])
        except RuntimeError as error:
            raise Untranslatable(f"clingo: {self.errors[0] if self.errors else error}") from error

    def log(self, code: clingo.MessageCode, message: str) -> None:
        # clingo reports an undefined relation as a note; the relation is empty.
        if code == clingo.MessageCode.RuntimeError:
            self.errors.append(" ".join(message.split())[:200])

    def ask(self, state: set[Term], joint: dict[Term, Term]) -> Answers:
        """All answers about a position, and about a joint move in it, if given."""
        self.asked += 1
        time = str(self.asked)
        facts = [("true", fluent) for fluent in state]
        moves = [("does", role, move) for role, move in joint.items()]
        text = "".join(asp_atom(fact, self.dynamic, time) + ".\n" for fact in [*facts, *moves])
        self.control.add(f"facts{time}", [], text)
        try:
            parts = [(f"facts{time}", []), ("position", [clingo.Number(self.asked)])]
            self.control.ground(parts)
        except RuntimeError as error:
            raise Untranslatable(f"clingo: {self.errors[0] if self.errors else error}") from error
        models = 0
        answers: dict[Relation, set[tuple[Term, ...]]] = {}
        with self.control.solve(yield_=True) as handle:
            for model in handle:
                models += 1
                answers = {query: self.extension(query, model) for query in QUERIES}
        if models != 1:
            raise Untranslatable("the rules do not have a unique model")
        return Answers(answers)

    def extension(self, of: Relation, model: clingo.Model) -> set[tuple[Term, ...]]:
        timed = of in self.dynamic
        arity = max(of[1], 0) + timed
        found = set()
        for atom in self.control.symbolic_atoms.by_signature(predicate(of), arity):
            arguments = atom.symbol.arguments
            if timed and arguments[0].number != self.asked:
                continue
            if atom.is_fact or model.contains(atom.symbol):
                found.add(tuple(term_of(argument) for argument in arguments[timed:]))
        return found
