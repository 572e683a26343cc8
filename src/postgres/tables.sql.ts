/** The tables of a store in PostgreSQL. `tenon` is replaced by the schema. */

/** The version of the schema. Raise it, and add a migration, when tables or functions change. */
export const schemaVersion = 3;

/**
 * Triggers keep together what belongs together: what a row has goes with it in every case, and groups count their
 * members. Names have the collation C: they are compared, and never sorted for a reader. A key that is a hash has its text in
 * `full_key`.
 */
export const tables = `
CREATE TABLE tenon.meta (name text PRIMARY KEY, value text NOT NULL);
-- Gives rows, logs, queue entries and turns their order.
CREATE SEQUENCE tenon.numbers;
-- The furthest time that was seen, in milliseconds. A sequence, since it is shared without waiting for a commit.
CREATE SEQUENCE tenon.clock MINVALUE 0 START 0;
CREATE TABLE tenon.item (
  partition text COLLATE "C", key text COLLATE "C", number bigint NOT NULL, version text NOT NULL,
  data text, chars float8 NOT NULL, fields jsonb NOT NULL,
  created_at float8 NOT NULL, updated_at float8 NOT NULL, expires_at float8,
  alias text COLLATE "C", groups text[] COLLATE "C" NOT NULL, full_key text, taken jsonb,
  PRIMARY KEY (partition, key)) WITH (fillfactor = 70);
CREATE INDEX item_alias ON tenon.item (partition, alias) WHERE alias IS NOT NULL;
CREATE INDEX item_expiry ON tenon.item (expires_at, partition) WHERE expires_at IS NOT NULL;
-- text_number is the order in which members lose their data; null without data.
CREATE TABLE tenon.member (
  partition text COLLATE "C", name text COLLATE "C", number bigint, key text COLLATE "C" NOT NULL,
  chars float8 NOT NULL, text_number bigint, PRIMARY KEY (partition, name, number));
CREATE INDEX member_texts ON tenon.member (partition, name, text_number) WHERE text_number IS NOT NULL;
CREATE TABLE tenon.member_count (
  partition text COLLATE "C", name text COLLATE "C", size bigint NOT NULL, chars float8 NOT NULL,
  PRIMARY KEY (partition, name)) WITH (fillfactor = 50);
CREATE TABLE tenon.due (
  partition text COLLATE "C", key text COLLATE "C", queue text COLLATE "C", lane text COLLATE "C" NOT NULL,
  at float8 NOT NULL, number bigint NOT NULL, PRIMARY KEY (partition, key, queue));
CREATE INDEX due_order ON tenon.due (partition, queue, lane, at, number);
-- When a lane last had its turn.
CREATE TABLE tenon.lane (
  partition text COLLATE "C", queue text COLLATE "C", lane text COLLATE "C", at float8 NOT NULL, number bigint NOT NULL,
  PRIMARY KEY (partition, queue, lane)) WITH (fillfactor = 50);
-- loose_until: when a log without a row goes; null if there is a row.
CREATE TABLE tenon.log (
  partition text COLLATE "C", row_key text COLLATE "C", name text COLLATE "C", id bigint NOT NULL,
  count bigint NOT NULL, stored bigint NOT NULL, last bigint NOT NULL, chars float8 NOT NULL, ended bigint NOT NULL,
  mark float8, note text, is_followed boolean NOT NULL, given float8 NOT NULL, loose_until float8,
  PRIMARY KEY (partition, row_key, name)) WITH (fillfactor = 50);
CREATE INDEX log_loose ON tenon.log (loose_until) WHERE loose_until IS NOT NULL;
CREATE TABLE tenon.entry (log bigint, n bigint, data text NOT NULL, chars float8 NOT NULL, PRIMARY KEY (log, n));
-- Deleted at expires_at, or later: not before it is full. It has an index, and changes seldom, so that taking tokens writes to none.
CREATE TABLE tenon.bucket (
  partition text COLLATE "C", key text COLLATE "C", full_at float8 NOT NULL, expires_at float8 NOT NULL,
  PRIMARY KEY (partition, key)) WITH (fillfactor = 50);
CREATE INDEX bucket_expiry ON tenon.bucket (expires_at);
-- Messages that are too long for NOTIFY.
CREATE TABLE tenon.message (id bigint PRIMARY KEY, body text NOT NULL, sent_at float8 NOT NULL);
CREATE INDEX message_age ON tenon.message (sent_at);

CREATE FUNCTION tenon.after_item_delete() RETURNS trigger LANGUAGE plpgsql AS $tenon$
DECLARE g text;
BEGIN
  FOREACH g IN ARRAY OLD.groups LOOP
    DELETE FROM tenon.member WHERE partition = OLD.partition AND name = g AND number = OLD.number;
  END LOOP;
  DELETE FROM tenon.due WHERE partition = OLD.partition AND key = OLD.key;
  DELETE FROM tenon.log WHERE partition = OLD.partition AND row_key = OLD.key;
  RETURN NULL;
END $tenon$;
CREATE TRIGGER after_delete AFTER DELETE ON tenon.item FOR EACH ROW EXECUTE FUNCTION tenon.after_item_delete();

CREATE FUNCTION tenon.after_log_delete() RETURNS trigger LANGUAGE plpgsql AS $tenon$
BEGIN
  DELETE FROM tenon.entry WHERE log = OLD.id;
  RETURN NULL;
END $tenon$;
CREATE TRIGGER after_delete AFTER DELETE ON tenon.log FOR EACH ROW EXECUTE FUNCTION tenon.after_log_delete();

CREATE FUNCTION tenon.after_member_change() RETURNS trigger LANGUAGE plpgsql AS $tenon$
BEGIN
  IF TG_OP = 'INSERT' THEN
    INSERT INTO tenon.member_count AS c VALUES (NEW.partition, NEW.name, 1, NEW.chars)
      ON CONFLICT (partition, name) DO UPDATE SET size = c.size + 1, chars = c.chars + NEW.chars;
  ELSIF TG_OP = 'UPDATE' THEN
    UPDATE tenon.member_count SET chars = chars + NEW.chars - OLD.chars
      WHERE partition = NEW.partition AND name = NEW.name;
  ELSE
    DELETE FROM tenon.member_count WHERE partition = OLD.partition AND name = OLD.name AND size = 1;
    UPDATE tenon.member_count SET size = size - 1, chars = chars - OLD.chars
      WHERE NOT FOUND AND partition = OLD.partition AND name = OLD.name;
  END IF;
  RETURN NULL;
END $tenon$;
CREATE TRIGGER after_change AFTER INSERT OR UPDATE OF chars OR DELETE ON tenon.member
  FOR EACH ROW EXECUTE FUNCTION tenon.after_member_change();
`;
