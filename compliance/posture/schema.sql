-- Times are nanoseconds since 1970, UTC.
CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID, STRICT;
CREATE TABLE subjects (
  id INTEGER PRIMARY KEY, api_version TEXT NOT NULL, kind TEXT NOT NULL, namespace TEXT NOT NULL,
  name TEXT NOT NULL, uid TEXT NOT NULL, owns TEXT NOT NULL
) STRICT;
CREATE TABLE verdicts (
  subject INTEGER NOT NULL, rule TEXT NOT NULL, value TEXT NOT NULL, moment TEXT NOT NULL, revision TEXT NOT NULL,
  since INTEGER NOT NULL, sequence INTEGER NOT NULL, detail TEXT NOT NULL, PRIMARY KEY (subject, rule)
) STRICT; -- with rowid: without, each detail of more than a quarter of a page takes a page of its own
CREATE TABLE transitions (
  sequence INTEGER PRIMARY KEY, time INTEGER NOT NULL, subject TEXT NOT NULL, rule TEXT NOT NULL,
  before TEXT NOT NULL, after TEXT NOT NULL, why TEXT NOT NULL, moment TEXT NOT NULL, revision TEXT NOT NULL
) STRICT;
CREATE TABLE scopes (namespace TEXT PRIMARY KEY, sequence INTEGER NOT NULL, changed INTEGER NOT NULL) WITHOUT ROWID, STRICT;
CREATE TABLE evidence (
  kind TEXT NOT NULL, namespace TEXT NOT NULL, time INTEGER NOT NULL, PRIMARY KEY (kind, namespace)
) WITHOUT ROWID, STRICT;
