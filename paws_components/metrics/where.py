"""Conditions on metrics, as people write them: `wpd > 0.2 and ld < 0.1`. They are parsed, never executed."""

import ast
import operator
from typing import Any, Callable, Dict, Mapping, Set, Type

from ..errors import Errors, PawsError

COMPARISONS: Dict[Type[ast.cmpop], Callable[[Any, Any], bool]] = {
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
}
ARITHMETIC: Dict[Type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
}


class Where:
    """A condition on named numbers.

    text (str): The condition: names and numbers, compared with < <= > >= == !=, joined with `and`, `or`, `not` and
        brackets; + - and * are allowed too. A comparison with a value that a pair does not have does not hold.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        try:
            self._tree = ast.parse(text.strip(), mode="eval").body
            self.names: Set[str] = set()
            self._check(self._tree, truth=True)
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            reason = error.msg if isinstance(error, SyntaxError) else str(error) or type(error).__name__
            raise PawsError(Errors.P105.format(text=text, reason=reason)) from error

    def __call__(self, values: Mapping[str, Any]) -> bool:
        """Whether the condition holds.

        values (Mapping[str, Any]): The numbers by name.
        RETURNS (bool): Whether it holds.
        """
        missing = [name for name in sorted(self.names) if name not in values]
        if missing:
            raise PawsError(Errors.P106.format(text=self.text, name=missing[0], known=", ".join(sorted(values))))
        return self._holds(self._tree, values)

    def __repr__(self) -> str:
        return f"Where({self.text!r})"

    def _check(self, node: ast.AST, truth: bool) -> None:
        """Refuse whatever is not part of a condition: `truth` where it has to say yes or no, else a number."""
        if truth and isinstance(node, ast.BoolOp):
            for part in node.values:
                self._check(part, True)
        elif truth and isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            self._check(node.operand, True)
        elif truth and isinstance(node, ast.Compare) and all(type(op) in COMPARISONS for op in node.ops):
            for part in (node.left, *node.comparators):
                self._check(part, False)
        elif not truth and isinstance(node, ast.Name):
            self.names.add(node.id)
        elif not truth and isinstance(node, ast.Constant) and type(node.value) in (int, float):
            pass
        elif not truth and isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            self._check(node.operand, False)
        elif not truth and isinstance(node, ast.BinOp) and type(node.op) in ARITHMETIC:
            self._check(node.left, False)
            self._check(node.right, False)
        else:
            raise ValueError(f"{ast.unparse(node)!r} is no {'comparison' if truth else 'name or number'}")

    def _holds(self, node: ast.AST, values: Mapping[str, Any]) -> bool:
        if isinstance(node, ast.BoolOp):
            join = all if isinstance(node.op, ast.And) else any
            return join(self._holds(part, values) for part in node.values)
        if isinstance(node, ast.UnaryOp):
            return not self._holds(node.operand, values)
        assert isinstance(node, ast.Compare)
        numbers = [self._number(part, values) for part in (node.left, *node.comparators)]
        if None in numbers:
            return False
        return all(COMPARISONS[type(op)](*pair) for op, pair in zip(node.ops, zip(numbers, numbers[1:])))

    def _number(self, node: ast.AST, values: Mapping[str, Any]) -> Any:
        if isinstance(node, ast.Constant):
            return node.value
        if isinstance(node, ast.Name):
            return as_number(values[node.id])
        if isinstance(node, ast.UnaryOp):
            value = self._number(node.operand, values)
            return None if value is None else -value
        assert isinstance(node, ast.BinOp)
        left, right = self._number(node.left, values), self._number(node.right, values)
        return None if left is None or right is None else ARITHMETIC[type(node.op)](left, right)


def parse_where(text: str) -> Where:
    """Read a condition.

    text (str): Such as `wpd > 0.2 and ld < 0.1`.
    RETURNS (Where): Tells of a mapping of numbers whether the condition holds; `names` are the names in it.
    """
    return Where(text)


def as_number(value: Any) -> Any:
    """A number as it is; the text of a number, as tables have it; None for anything else."""
    if isinstance(value, (int, float)):
        return value
    try:
        return float(value)
    except (TypeError, ValueError):
        return None
