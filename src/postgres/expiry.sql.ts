/** Token buckets, and what deletes what has expired, as functions of PostgreSQL. `tenon` is replaced by the schema. */

/** A full bucket is stored so long at most: until then taking tokens does not change when it is deleted. */
const spareMs = 60_000;

/** What a message may take to be read. */
const messageMs = 60_000;

/** Version 2 of the schema has buckets without `expires_at`, and reads all of them to find those that are full. */
export const expiryOfBuckets = `
ALTER TABLE tenon.bucket ADD COLUMN IF NOT EXISTS expires_at float8 NOT NULL DEFAULT 0;
UPDATE tenon.bucket SET expires_at = full_at WHERE expires_at < full_at;
CREATE INDEX IF NOT EXISTS bucket_expiry ON tenon.bucket (expires_at);
CREATE INDEX IF NOT EXISTS message_age ON tenon.message (sent_at);
`;

export const expiry = `
CREATE OR REPLACE FUNCTION tenon.take_tokens(p text, k text, cost_ms float8, full_ms float8, moment float8)
RETURNS void LANGUAGE plpgsql AS $tenon$
DECLARE next_full float8 := cost_ms + coalesce((SELECT greatest(least(full_at, moment + full_ms), moment)
    FROM tenon.bucket WHERE partition = p AND key = k), moment);
BEGIN
  INSERT INTO tenon.bucket AS b (partition, key, full_at, expires_at) VALUES (p, k, next_full, next_full + ${spareMs})
    ON CONFLICT (partition, key) DO UPDATE SET full_at = next_full,
    expires_at = CASE WHEN b.expires_at < next_full THEN next_full + ${spareMs} ELSE b.expires_at END;
END $tenon$;

-- Deletes rows that have expired in partitions that no run is using, and buckets; returns of which there were more, how many.
CREATE OR REPLACE FUNCTION tenon.expire(most int, given float8, seen float8) RETURNS int LANGUAGE plpgsql AS $tenon$
DECLARE moment float8 := tenon.tick(given, seen, true); t record; deleted int; total int := 0;
BEGIN
  -- What a crash brings back expires again.
  PERFORM set_config('synchronous_commit', 'off', true);
  FOR t IN SELECT partition, count(*) AS rows FROM (SELECT partition FROM tenon.item WHERE expires_at <= moment
      ORDER BY expires_at LIMIT most) i GROUP BY partition LOOP
    CONTINUE WHEN NOT pg_try_advisory_xact_lock(tenon.lock_of(t.partition));
    DELETE FROM tenon.item WHERE partition = t.partition AND key = ANY (ARRAY(
      SELECT key FROM tenon.item WHERE partition = t.partition AND expires_at <= moment
      ORDER BY expires_at LIMIT t.rows FOR UPDATE SKIP LOCKED));
    GET DIAGNOSTICS deleted = ROW_COUNT;
    total := total + deleted;
  END LOOP;
  DELETE FROM tenon.bucket WHERE ctid = ANY (ARRAY(
    SELECT ctid FROM tenon.bucket WHERE expires_at <= moment ORDER BY expires_at LIMIT most FOR UPDATE SKIP LOCKED));
  GET DIAGNOSTICS deleted = ROW_COUNT;
  RETURN greatest(total, deleted);
END $tenon$;

-- Deletes also logs without a row, messages, and turns of lanes that are empty.
CREATE OR REPLACE FUNCTION tenon.sweep(most int, given float8, seen float8) RETURNS int LANGUAGE plpgsql AS $tenon$
DECLARE total int := tenon.expire(most, given, seen); moment float8 := tenon.tick(given, seen, false); t record;
BEGIN
  FOR t IN SELECT partition, row_key, name FROM tenon.log WHERE loose_until <= moment ORDER BY loose_until LIMIT most LOOP
    CONTINUE WHEN NOT pg_try_advisory_xact_lock(tenon.lock_of(t.partition));
    DELETE FROM tenon.log WHERE partition = t.partition AND row_key = t.row_key AND name = t.name AND loose_until <= moment;
  END LOOP;
  DELETE FROM tenon.message WHERE id = ANY (ARRAY(
    SELECT id FROM tenon.message WHERE sent_at <= moment - ${messageMs} ORDER BY sent_at LIMIT most FOR UPDATE SKIP LOCKED));
  DELETE FROM tenon.lane WHERE ctid = ANY (ARRAY(
    SELECT ctid FROM tenon.lane l WHERE NOT EXISTS (SELECT FROM tenon.due d
      WHERE d.partition = l.partition AND d.queue = l.queue AND d.lane = l.lane) LIMIT most FOR UPDATE SKIP LOCKED));
  RETURN total;
END $tenon$;
`;
