"""Tests of the translation to answer-set programs: run `python3 -m unittest` in this folder."""

from __future__ import annotations

import unittest

from asp import Answers, Judge, Term, Untranslatable, read, translate

GAME = """
(role you) (role "the\\other") (init (at 0))
(legal you stay) ; a comment
(<= terminal (true (at 3)))
"""


def ask(
    rules: str, state: set[Term] | None = None, joint: dict[Term, Term] | None = None
) -> Answers:
    return Judge(translate(GAME + rules)).ask(state or set(), joint or {})


class Meaning(unittest.TestCase):
    def test_reading(self) -> None:
        self.assertEqual(read("(<= (p ?x) (NOT q)) ; c"), [("<=", ("p", "?x"), ("not", "q"))])
        for wrong in ("(p", "p)"):
            with self.assertRaises(Untranslatable):
                read(wrong)

    def test_facts_of_a_game(self) -> None:
        answers = ask("", {("at", "3")})
        self.assertEqual(answers.terms("role"), {"you", '"the\\other"'})
        self.assertEqual(answers.terms("init"), {("at", "0")})
        self.assertEqual(answers.by_role("legal", "you"), {"stay"})
        self.assertTrue(answers.terminal)
        self.assertFalse(ask("", {("at", "2")}).terminal)

    def test_moves_lead_on(self) -> None:
        rules = "(<= (next (at ?n)) (does you (go ?n))) (<= (sees you ?n) (does you (go ?n)))"
        answers = ask(rules, {("at", "0")}, {"you": ("go", "1")})
        self.assertEqual(answers.terms("next"), {("at", "1")})
        self.assertEqual(answers.by_role("sees", "you"), {"1"})

    def test_positions_do_not_mix(self) -> None:
        judge = Judge(translate(GAME + "(<= (next ?f) (true ?f) (not (true lost)))"))
        self.assertEqual(judge.ask({"a"}, {}).terms("next"), {"a"})
        self.assertEqual(judge.ask({"b", "lost"}, {}).terms("next"), set())
        self.assertEqual(judge.ask({("c",)}, {}).terms("next"), {("c",)})

    def test_connectives(self) -> None:
        pairs = "(n 1) (n 2) (n 3) (<= (next (f ?x ?y)) (n ?x) (n ?y) "
        cases = [
            ("(distinct ?x ?y))", 6),
            ("(not (distinct ?x ?y)))", 3),
            ("(or (distinct ?x ?y) (distinct ?x 1)))", 8),
            ("(not (or (distinct ?x ?y) (distinct ?x 1))))", 1),
            ("(not (and (distinct ?x ?y) (distinct ?x 1))))", 5),
            ("(not (not (distinct ?x ?y))))", 6),
        ]
        for body, count in cases:
            self.assertEqual(len(ask(pairs + body).terms("next")), count, body)

    def test_a_proposition_is_not_an_empty_relation(self) -> None:
        self.assertEqual(ask("p (<= (next a) (p)) (<= (next b) p)").terms("next"), {"b"})
        self.assertEqual(ask("(p) (<= (next a) (p)) (<= (next b) p)").terms("next"), {"a"})

    def test_names_that_differ_stay_apart(self) -> None:
        rules = "(a-b 1) (a_2d_b 2) (A-b 3) (<= (next (f ?x)) (a-b ?x))"
        self.assertEqual(ask(rules).terms("next"), {("f", "1")})

    def test_unsafe_rules_and_rules_without_a_single_model_are_refused(self) -> None:
        for rules in (
            "(<= (next ?x) (not (true ?x)))",
            "(<= (next a) (not (next b))) (<= (next b) (not (next a)))",
        ):
            with self.assertRaises(Untranslatable):
                ask(rules)


if __name__ == "__main__":
    unittest.main()
