/** The clock, what is shown, and conditions, as functions of PostgreSQL. `tenon` is replaced by the schema. */
import { roundingMs } from '../store/driver.ts';

/** Why a put or a delete fails. The version 1 of the schema has another one. */
export const refusalOfWrite = `
CREATE OR REPLACE FUNCTION tenon.refusal_of_write(p text, op jsonb, moment float8) RETURNS jsonb LANGUAGE plpgsql AS $tenon$
DECLARE r tenon.item; w jsonb := op->'when'; refused text; g record;
BEGIN
  SELECT * INTO r FROM tenon.item WHERE partition = p AND key = op->>'key' FOR UPDATE;
  IF NOT (CASE WHEN w IS NULL THEN true WHEN w = '"absent"' THEN NOT FOUND WHEN w = '"present"' THEN FOUND
      WHEN w ? 'version' THEN FOUND AND r.version = w->>'version' ELSE NOT FOUND OR r.version = w->>'absentOr' END) THEN
    RETURN jsonb_build_object('why', 'condition', 'row', CASE WHEN FOUND THEN tenon.shown_row(r) END);
  END IF;
  IF op ? 'alias' THEN
    DECLARE namesake tenon.item;
    BEGIN
      SELECT * INTO namesake FROM tenon.item WHERE partition = p AND alias = op->>'alias' AND key <> op->>'key'
        AND coalesce(expires_at > moment, true) ORDER BY number DESC LIMIT 1;
      IF FOUND THEN RETURN jsonb_build_object('why', 'alias', 'row', tenon.shown_row(namesake)); END IF;
    END;
  END IF;
  IF op ? 'isCapped' AND tenon.full_group(p, op->'groups', r.groups) IS NOT NULL THEN
    -- What has expired is not counted.
    DELETE FROM tenon.item WHERE partition = p AND expires_at <= moment;
    refused := tenon.full_group(p, op->'groups', r.groups);
    IF refused IS NOT NULL THEN RETURN jsonb_build_object('why', 'full', 'group', refused); END IF;
  END IF;
  FOR g IN SELECT * FROM jsonb_to_recordset(op->'below') AS g ("group" text, chars float8) LOOP
    CONTINUE WHEN NOT EXISTS (SELECT FROM tenon.member_count c WHERE c.partition = p AND c.name = g."group" AND c.chars >= g.chars);
    DELETE FROM tenon.item WHERE partition = p AND expires_at <= moment;
    CONTINUE WHEN NOT EXISTS (SELECT FROM tenon.member_count c WHERE c.partition = p AND c.name = g."group" AND c.chars >= g.chars);
    RETURN jsonb_build_object('why', 'full', 'group', g."group");
  END LOOP;
  RETURN NULL;
END $tenon$;
`;

/** Conditions, on the state before the run: `refusal` returns why it fails, or null. */
export const conditions = `
-- The clock of the store: it never goes back. Only runs that write move it, and others once a second: a read waits for no commit.
CREATE FUNCTION tenon.tick(given float8, seen float8, writes boolean) RETURNS float8 LANGUAGE plpgsql AS $tenon$
DECLARE latest float8 := (SELECT last_value FROM tenon.clock);
  moment float8 := greatest(latest, seen, floor(coalesce(given, extract(epoch FROM clock_timestamp()) * 1000)));
BEGIN
  IF moment > latest + (CASE WHEN writes OR given IS NOT NULL THEN 0 ELSE 1000 END) THEN
    PERFORM setval('tenon.clock', moment::bigint);
  END IF;
  RETURN moment;
END $tenon$;

CREATE FUNCTION tenon.lock_of(p text) RETURNS bigint LANGUAGE sql IMMUTABLE AS $tenon$
  SELECT hashtextextended(p, hashtext('tenon.')) $tenon$;

CREATE FUNCTION tenon.shown_times(r tenon.item) RETURNS jsonb LANGUAGE sql STABLE AS $tenon$
  SELECT jsonb_build_object('key', coalesce(r.full_key, r.key), 'version', r.version, 'number', r.number, 'createdAt', r.created_at,
    'updatedAt', r.updated_at, 'expiresAt', r.expires_at, 'taken', r.taken, 'fields', '{}'::jsonb) $tenon$;

CREATE FUNCTION tenon.shown_row(r tenon.item) RETURNS jsonb LANGUAGE sql STABLE AS $tenon$
  SELECT tenon.shown_times(r) || jsonb_build_object('data', r.data, 'fields', r.fields) $tenon$;

-- With its entries after a number, unless that is null. Not in the language SQL: such functions would be planned at every call.
CREATE FUNCTION tenon.shown_log(l tenon.log, after float8) RETURNS jsonb LANGUAGE plpgsql STABLE AS $tenon$
BEGIN
  RETURN (SELECT jsonb_build_object('name', l.name, 'count', l.count, 'stored', l.stored, 'last', l.last, 'chars', l.chars,
      'ended', l.ended, 'mark', l.mark, 'note', l.note, 'isFollowed', l.is_followed, 'given', l.given,
      'rowChars', sum(chars), 'rowLogs', count(*))
    || CASE WHEN after IS NULL THEN '{}' ELSE jsonb_build_object('entries', coalesce((
      SELECT jsonb_agg(jsonb_build_object('n', n, 'data', data) ORDER BY n) FROM tenon.entry
      WHERE log = l.id AND n > after), '[]')) END
  FROM tenon.log WHERE partition = l.partition AND row_key = l.row_key);
END $tenon$;

-- A group that has no room for a row that is in the groups of the last argument.
CREATE FUNCTION tenon.full_group(p text, groups jsonb, joined text[]) RETURNS text LANGUAGE plpgsql STABLE AS $tenon$
BEGIN
  RETURN (SELECT g->>'name' FROM jsonb_array_elements(groups) WITH ORDINALITY AS given (g, place)
  LEFT JOIN tenon.member_count c ON c.partition = p AND c.name = g->>'name'
  WHERE coalesce(c.size, 0) >= (g->>'max')::float8 AND g->>'beyond' IS DISTINCT FROM 'delete-oldest'
    AND (g->>'name' = ANY (joined)) IS NOT TRUE
  ORDER BY place LIMIT 1);
END $tenon$;

${refusalOfWrite}

CREATE FUNCTION tenon.refusal_of_append(p text, op jsonb) RETURNS jsonb LANGUAGE plpgsql AS $tenon$
DECLARE l tenon.log; why text; place float8 := (op->'at')::float8;
BEGIN
  SELECT * INTO l FROM tenon.log WHERE partition = p AND row_key = op->>'row' AND name = op->>'log';
  why := CASE WHEN l.ended > 0 THEN 'ended' WHEN (op->'mark')::float8 <= l.mark THEN 'mark'
    WHEN place > coalesce(l.count, 0) + 1 THEN 'gap' WHEN place <= coalesce(l.count, 0) THEN 'repeated'
    WHEN NOT FOUND AND op->'entries' = '[]' THEN 'absent' END;
  RETURN CASE WHEN why IS NOT NULL THEN
    jsonb_build_object('why', why, 'log', CASE WHEN FOUND THEN tenon.shown_log(l, NULL) END) END;
END $tenon$;

CREATE FUNCTION tenon.refusal(p text, ops jsonb, moment float8) RETURNS jsonb LANGUAGE plpgsql AS $tenon$
DECLARE op jsonb; refused jsonb; wait float8; longest float8 := 0; slowest int; full_ms float8;
BEGIN
  FOR place IN 0 .. jsonb_array_length(ops) - 1 LOOP
    op := ops->place;
    IF op->>'op' = 'tokens' THEN
      full_ms := (op->'fullMs')::float8;
      -- Moved even if the run fails: the limit was lowered.
      UPDATE tenon.bucket SET full_at = moment + full_ms WHERE partition = p AND key = op->>'key' AND full_at > moment + full_ms;
      wait := coalesce((SELECT greatest(full_at - moment, 0) FROM tenon.bucket
        WHERE partition = p AND key = op->>'key'), 0) + (op->'costMs')::float8 - full_ms;
      IF wait > longest + ${roundingMs} THEN longest := wait; slowest := place; END IF;
    -- Further buckets may take longer.
    ELSIF longest = 0 THEN
      refused := CASE WHEN op->>'op' IN ('put', 'delete') THEN tenon.refusal_of_write(p, op, moment)
        WHEN op->>'op' = 'append' THEN tenon.refusal_of_append(p, op) END;
      IF refused IS NOT NULL THEN RETURN refused || jsonb_build_object('now', moment, 'failed', place); END IF;
    END IF;
  END LOOP;
  RETURN CASE WHEN longest > 0 THEN
    jsonb_build_object('now', moment, 'failed', slowest, 'why', 'tokens', 'waitMs', ceil(longest)) END;
END $tenon$;
`;
