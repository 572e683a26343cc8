/** The functions of PostgreSQL that do what an engine asks for: `run` and `take`. `tenon` is replaced by the schema. */

/** What an op does. Version 2 of the schema has another one. */
export const application = `
CREATE OR REPLACE FUNCTION tenon.apply(p text, op jsonb, moment float8) RETURNS jsonb LANGUAGE plpgsql AS $tenon$
DECLARE result jsonb;
BEGIN
  CASE op->>'op'
  WHEN 'put' THEN
    RETURN tenon.put(p, op, moment);
  WHEN 'delete' THEN
    DELETE FROM tenon.item WHERE partition = p AND key = op->>'key';
    RETURN to_jsonb(FOUND);
  WHEN 'get' THEN
    SELECT tenon.shown_row(i) INTO result FROM tenon.item i
      WHERE partition = p AND key = op->>'key' AND coalesce(expires_at > moment, true);
  WHEN 'list' THEN
    SELECT coalesce(jsonb_agg(tenon.shown_row(i) ORDER BY i.number), '[]') INTO result FROM (
      SELECT i.* FROM tenon.member m JOIN tenon.item i ON i.partition = p AND i.key = m.key
      WHERE m.partition = p AND m.name = op->>'group' AND m.number > coalesce((op->'after')::float8, 0)
        AND coalesce(i.expires_at > moment, true) ORDER BY m.number LIMIT (op->'max')::float8) i;
  WHEN 'append' THEN
    RETURN tenon.append(p, op, moment);
  WHEN 'entries' THEN
    UPDATE tenon.log SET given = least((op->'after')::float8, count)
      WHERE partition = p AND row_key = op->>'row' AND name = op->>'log' AND given < least((op->'after')::float8, count);
    SELECT tenon.shown_log(g, (op->'after')::float8) INTO result FROM tenon.log g
      WHERE partition = p AND row_key = op->>'row' AND name = op->>'log';
  WHEN 'logs' THEN
    SELECT coalesce(jsonb_agg(tenon.shown_log(g, NULL) ORDER BY id), '[]') INTO result FROM tenon.log g
      WHERE partition = p AND row_key = op->>'row';
  WHEN 'trim' THEN
    PERFORM tenon.trim_logs(p, op);
  WHEN 'tokens' THEN
    PERFORM tenon.take_tokens(p, op->>'key', (op->'costMs')::float8, (op->'fullMs')::float8, moment);
  ELSE -- publish
  END CASE;
  RETURN result;
END $tenon$;
`;

export const runs = `
${application}
-- Several runs of one partition, each all or nothing: { partition, keys, runs } with the keys of all rows that they name.
CREATE FUNCTION tenon.run(request jsonb, given float8, seen float8, locks boolean, writes boolean, quick boolean)
RETURNS jsonb LANGUAGE plpgsql AS $tenon$
DECLARE p text := request->>'partition'; ops jsonb; op jsonb; keys text[]; moment float8; ran jsonb; results jsonb[];
  all_ran jsonb[] := '{}';
BEGIN
  IF quick THEN PERFORM set_config('synchronous_commit', 'off', true); END IF;
  IF locks THEN PERFORM pg_advisory_xact_lock(tenon.lock_of(p)); END IF;
  moment := tenon.tick(given, seen, writes);
  IF locks THEN
    keys := ARRAY(SELECT jsonb_array_elements_text(request->'keys'));
    DELETE FROM tenon.item WHERE partition = p AND key = ANY (keys) AND expires_at <= moment;
    DELETE FROM tenon.log WHERE partition = p AND row_key = ANY (keys) AND loose_until <= moment;
  END IF;
  FOR ops IN SELECT jsonb_array_elements(request->'runs') LOOP
    ran := tenon.refusal(p, ops, moment);
    IF ran IS NULL THEN
      results := '{}';
      FOR op IN SELECT jsonb_array_elements(ops) LOOP
        results := results || tenon.apply(p, op, moment);
      END LOOP;
      ran := jsonb_build_object('now', moment, 'results', results);
    END IF;
    all_ran := all_ran || ran;
  END LOOP;
  RETURN jsonb_strip_nulls(to_jsonb(all_ran));
END $tenon$;

-- Takes no lock of a partition, and waits for no row. A lane's turn is when it was last served, or when its first row became due.
CREATE FUNCTION tenon.take(request jsonb, given float8, seen float8) RETURNS jsonb LANGUAGE plpgsql AS $tenon$
DECLARE moment float8 := tenon.tick(given, seen, false); most int := (request->'max')::int; t record; r tenon.item;
  served bigint; all_taken jsonb[] := '{}'; found_log jsonb; lanes text[] := '{}';
BEGIN
  -- A lease waits for the disk: if a crash lost it, the holder could not store what it did, and another would do it again.
  FOR t IN
    WITH RECURSIVE lanes AS (
      SELECT p, q, (SELECT min(d.lane) FROM tenon.due d WHERE d.partition = p AND d.queue = q) AS lane
      FROM jsonb_array_elements_text(request->'partitions') p, jsonb_array_elements_text(request->'queues') q
      UNION ALL
      SELECT p, q, (SELECT min(d.lane) FROM tenon.due d WHERE d.partition = p AND d.queue = q AND d.lane > lanes.lane)
      FROM lanes WHERE lanes.lane IS NOT NULL),
    candidates AS (
      SELECT l.p, l.q, h.key, row_number() OVER lane AS place, greatest(first_value(h.at) OVER lane, s.at) AS turn_at,
        greatest(first_value(h.number) OVER lane, s.number) AS turn_number
      FROM lanes l LEFT JOIN tenon.lane s ON s.partition = l.p AND s.queue = l.q AND s.lane = l.lane
      CROSS JOIN LATERAL (
        SELECT d.key, d.at, d.number FROM tenon.due d
        WHERE d.partition = l.p AND d.queue = l.q AND d.lane = l.lane AND d.at <= moment
        ORDER BY d.at, d.number LIMIT most + 8) h
      WINDOW lane AS (PARTITION BY l.p, l.q, l.lane ORDER BY h.at, h.number)
      -- More than are taken: others may have locked some, and some may have expired.
      ORDER BY place, turn_at, turn_number LIMIT most * 4)
    SELECT d.* FROM candidates c
    JOIN tenon.due d ON d.partition = c.p AND d.key = c.key AND d.queue = c.q
    JOIN tenon.item i ON i.partition = c.p AND i.key = c.key
    WHERE d.at <= moment AND coalesce(i.expires_at > moment, true)
    ORDER BY c.place, c.turn_at, c.turn_number LIMIT most FOR UPDATE OF d, i SKIP LOCKED
  LOOP
    served := nextval('tenon.numbers');
    UPDATE tenon.item SET version = request->>'holder', taken = jsonb_build_object('queue', t.queue, 'at', moment,
        'count', CASE WHEN taken->>'queue' = t.queue THEN (taken->'count')::int ELSE 0 END + 1)
      WHERE partition = t.partition AND key = t.key RETURNING * INTO r;
    UPDATE tenon.due SET at = moment + (request->'leaseMs')::float8, number = served
      WHERE partition = t.partition AND key = t.key AND queue || '' = t.queue;
    lanes := lanes || ARRAY[[t.partition, t.queue, t.lane, served::text]];
    IF request ? 'log' THEN
      SELECT tenon.shown_log(g, 0) INTO found_log FROM tenon.log g
        WHERE partition = t.partition AND row_key = t.key AND name = request->>'log';
    END IF;
    all_taken := all_taken || jsonb_build_object('partition', t.partition, 'row', tenon.shown_row(r), 'log', found_log);
  END LOOP;
  IF lanes = '{}' THEN RETURN '[]'; END IF;
  PERFORM tenon.tick(given, moment, true);
  -- Sorted, so that two calls do not wait for each other.
  INSERT INTO tenon.lane SELECT lanes[n][1], lanes[n][2], lanes[n][3], moment, max(lanes[n][4]::bigint)
    FROM generate_subscripts(lanes, 1) n GROUP BY 1, 2, 3 ORDER BY 1, 2, 3
    ON CONFLICT (partition, queue, lane) DO UPDATE SET at = excluded.at, number = excluded.number;
  RETURN jsonb_strip_nulls(to_jsonb(all_taken));
END $tenon$;
`;
