"""The tables of a study. The schema on disk is made by the migrations; a test holds the two against each other."""

from sqlalchemy import (
    JSON,
    Boolean,
    CheckConstraint,
    Column,
    Double,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    String,
    Table,
    Text,
    UniqueConstraint,
)

# Every name begins alike, so that a study can live in a PostgreSQL database beside other tables.
PREFIX = "paws_"
VERSION_TABLE = PREFIX + "schema_version"
metadata = MetaData()

tasks = Table(
    PREFIX + "tasks",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("name", String(100), nullable=False, unique=True),
    Column("kind", String(20), nullable=False),
    Column("title", Text, nullable=False),
    Column("instructions", Text, nullable=False),
    Column("settings", JSON, nullable=False),
    Column("created", Double, nullable=False),
)

# `taken` counts the slots that are answered or being answered. An item has `needed` of them.
items = Table(
    PREFIX + "items",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("task_id", ForeignKey(tasks.c.id), nullable=False),
    Column("key", String(200), nullable=False),
    Column("position", Integer, nullable=False),
    Column("source", String(200), nullable=False),
    Column("stage", String(20), nullable=False),
    Column("content", JSON, nullable=False),
    Column("needed", Integer, nullable=False),
    Column("taken", Integer, nullable=False),
    UniqueConstraint("task_id", "key", name="uq_paws_items_key"),
    CheckConstraint("taken >= 0 and taken <= needed", name="ck_paws_items_taken"),
    Index("ix_paws_items_order", "task_id", "position"),
)

# `kind` is "person", or "model" for what sits beside the people. What is secret is kept as its SHA-256 only.
raters = Table(
    PREFIX + "raters",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("name", String(200), nullable=False, unique=True),
    Column("kind", String(20), nullable=False),
    Column("admin", Boolean, nullable=False),
    Column("secret", String(64), unique=True),
    Column("created", Double, nullable=False),
    Column("revoked", Double),
    Column("seen", Double),
)

sessions = Table(
    PREFIX + "sessions",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("secret", String(64), nullable=False, unique=True),
    Column("rater_id", ForeignKey(raters.c.id), nullable=False),
    Column("expires", Double, nullable=False),
)

# An item before a rater. The two constraints are what is promised: nobody gets an item twice, and no item has more
# raters than slots. Who left an item, skipped it, or is a model has no slot.
assignments = Table(
    PREFIX + "assignments",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("ticket", String(64), nullable=False, unique=True),
    Column("task_id", ForeignKey(tasks.c.id), nullable=False),
    Column("item_id", ForeignKey(items.c.id), nullable=False),
    Column("rater_id", ForeignKey(raters.c.id), nullable=False),
    Column("slot", Integer),
    Column("state", String(20), nullable=False),
    Column("flipped", Boolean, nullable=False),
    Column("shown", Double, nullable=False),
    Column("expires", Double, nullable=False),
    Column("answered", Double),
    Column("seconds", Double),
    Column("answer", JSON(none_as_null=True)),
    Column("dollars", Double),
    UniqueConstraint("item_id", "rater_id", name="uq_paws_assignments_rater"),
    UniqueConstraint("item_id", "slot", name="uq_paws_assignments_slot"),
    Index("ix_paws_assignments_rater", "rater_id", "task_id", "state"),
    Index("ix_paws_assignments_expiry", "task_id", "state", "expires"),
)

# What a writer had checked: every attempt of the Adversarial Paraphrasing Task.
checks = Table(
    PREFIX + "checks",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("assignment_id", ForeignKey(assignments.c.id), nullable=False),
    Column("at", Double, nullable=False),
    Column("seconds", Double, nullable=False),
    Column("text", Text, nullable=False),
    Column("mi", Boolean, nullable=False),
    Column("similarity", Double, nullable=False),
    Column("forward", Double, nullable=False),
    Column("backward", Double, nullable=False),
    Column("reward", Double, nullable=False),
    Column("dollars", Double, nullable=False),
    Column("judge", JSON, nullable=False),
    Index("ix_paws_checks_assignment", "assignment_id"),
)

# Answers that were taken back.
undone = Table(
    PREFIX + "undone",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("assignment_id", ForeignKey(assignments.c.id), nullable=False),
    Column("answered", Double, nullable=False),
    Column("at", Double, nullable=False),
    Column("answer", JSON, nullable=False),
    Column("dollars", Double),
)
