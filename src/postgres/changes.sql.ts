/** What ops change, as functions of PostgreSQL. `tenon` is replaced by the schema. */
import { looseLogMs } from '../store/driver.ts';

export const changes = `
-- Makes room in the groups that a row has joined.
CREATE FUNCTION tenon.limit_groups(p text, groups jsonb, newest bigint, moment float8) RETURNS void LANGUAGE plpgsql AS $tenon$
DECLARE g record; m record; excess float8;
BEGIN
  FOR g IN SELECT * FROM jsonb_to_recordset(groups) AS g (name text, max float8, beyond text, "maxChars" float8) LOOP
    PERFORM FROM tenon.member_count WHERE partition = p AND name = g.name
      AND (g.beyond = 'delete-oldest' AND size > g.max OR chars > g."maxChars");
    CONTINUE WHEN NOT FOUND;
    -- What has expired is not counted.
    DELETE FROM tenon.item WHERE partition = p AND expires_at <= moment AND number <> newest;
    IF g.beyond = 'delete-oldest' THEN
      DELETE FROM tenon.item WHERE partition = p AND key = ANY (ARRAY(
        SELECT key FROM tenon.member WHERE partition = p AND name = g.name AND number <> newest ORDER BY number
        LIMIT greatest(0, (SELECT size - g.max FROM tenon.member_count WHERE partition = p AND name = g.name))));
    END IF;
    SELECT chars - g."maxChars" INTO excess FROM tenon.member_count WHERE partition = p AND name = g.name;
    FOR m IN SELECT * FROM tenon.member WHERE partition = p AND name = g.name AND text_number IS NOT NULL
        AND number <> newest AND excess > 0 ORDER BY text_number LOOP
      EXIT WHEN excess <= 0;
      excess := excess - m.chars;
      UPDATE tenon.item SET data = NULL, chars = 0 WHERE partition = p AND key = m.key;
      UPDATE tenon.member o SET chars = 0, text_number = NULL FROM tenon.item i, unnest(i.groups) joined
        WHERE i.partition = p AND i.key = m.key AND o.partition = p AND o.name = joined AND o.number = m.number;
    END LOOP;
  END LOOP;
END $tenon$;

CREATE FUNCTION tenon.put(p text, op jsonb, moment float8) RETURNS jsonb LANGUAGE plpgsql AS $tenon$
DECLARE k text := op->>'key'; r tenon.item; d jsonb; g text; before text[]; joined text[];
BEGIN
  SELECT groups INTO before FROM tenon.item WHERE partition = p AND key = k FOR UPDATE;
  IF NOT FOUND THEN UPDATE tenon.log SET loose_until = NULL WHERE partition = p AND row_key = k; END IF;
  before := coalesce(before, '{}');
  joined := CASE WHEN op ? 'joined' THEN ARRAY(SELECT jsonb_array_elements_text(op->'joined')) ELSE before END;
  INSERT INTO tenon.item AS i VALUES (p, k, nextval('tenon.numbers'), op->>'version', op->>'data',
      CASE WHEN op ? 'data' THEN (op->'chars')::float8 ELSE 0 END, jsonb_strip_nulls(coalesce(op->'fields', '{}')),
      moment, moment, moment + (op->'expiresInMs')::float8, op->>'alias', joined, op->>'fullKey')
    ON CONFLICT (partition, key) DO UPDATE SET version = excluded.version, updated_at = moment, taken = NULL,
      data = coalesce(excluded.data, i.data), chars = CASE WHEN op ? 'data' THEN excluded.chars ELSE i.chars END,
      fields = CASE WHEN op ? 'fields' THEN jsonb_strip_nulls(i.fields || (op->'fields')) ELSE i.fields END,
      expires_at = coalesce(excluded.expires_at, i.expires_at), groups = joined
    RETURNING * INTO r;
  -- One by one: for several names the planner would read all members of the partition.
  FOREACH g IN ARRAY before LOOP
    IF g <> ALL (joined) THEN
      DELETE FROM tenon.member WHERE partition = p AND name = g AND number = r.number;
    ELSIF op ? 'data' THEN
      UPDATE tenon.member SET chars = r.chars, text_number = nextval('tenon.numbers')
        WHERE partition = p AND name = g AND number = r.number;
    END IF;
  END LOOP;
  IF before <> joined THEN
    INSERT INTO tenon.member SELECT p, name, r.number, k, r.chars,
      CASE WHEN r.data IS NOT NULL THEN nextval('tenon.numbers') END FROM unnest(joined) name WHERE name <> ALL (before);
  END IF;
  IF op ? 'isLimited' THEN PERFORM tenon.limit_groups(p, op->'groups', r.number, moment); END IF;
  FOR place IN 0 .. coalesce(jsonb_array_length(op->'due'), 0) - 1 LOOP
    d := op->'due'->place;
    IF d ? 'inMs' THEN
      INSERT INTO tenon.due AS e VALUES
          (p, k, d->>'queue', coalesce(d->>'lane', ''), moment + (d->'inMs')::float8, nextval('tenon.numbers'))
        ON CONFLICT (partition, key, queue) DO UPDATE
        SET lane = coalesce(d->>'lane', e.lane), at = excluded.at, number = excluded.number;
    ELSE
      -- Only the primary key fits this condition: an index of the queue would have all its rows read.
      DELETE FROM tenon.due WHERE partition = p AND key = k AND queue || '' = d->>'queue';
    END IF;
  END LOOP;
  RETURN tenon.shown_times(r);
END $tenon$;

-- Deletes logs of the same row that have ended, the first to end first. Returns the log as it is shown then.
CREATE FUNCTION tenon.make_room(l tenon.log, room jsonb, shown jsonb) RETURNS jsonb LANGUAGE plpgsql AS $tenon$
DECLARE ended record; logs float8 := (shown->'rowLogs')::float8; total float8 := (shown->'rowChars')::float8;
BEGIN
  IF (logs > (room->'maxLogs')::float8 OR total > (room->'maxChars')::float8) IS NOT TRUE THEN RETURN shown; END IF;
  FOR ended IN SELECT * FROM tenon.log g WHERE partition = l.partition AND row_key = l.row_key AND g.ended > 0
      AND name <> l.name ORDER BY g.ended LOOP
    EXIT WHEN logs <= (room->'maxLogs')::float8 AND total <= (room->'maxChars')::float8;
    DELETE FROM tenon.log WHERE partition = l.partition AND row_key = l.row_key AND name = ended.name;
    logs := logs - 1;
    total := total - ended.chars;
  END LOOP;
  RETURN tenon.shown_log(l, NULL);
END $tenon$;

CREATE FUNCTION tenon.append(p text, op jsonb, moment float8) RETURNS jsonb LANGUAGE plpgsql AS $tenon$
DECLARE l tenon.log; e jsonb; entries jsonb := op->'entries';
BEGIN
  SELECT * INTO l FROM tenon.log WHERE partition = p AND row_key = op->>'row' AND name = op->>'log';
  IF NOT FOUND THEN
    l := (p, op->>'row', op->>'log', nextval('tenon.numbers'), 0, 0, 0, 0, 0, NULL, op->>'note', false, 0, NULL);
  END IF;
  FOR place IN 0 .. jsonb_array_length(entries) - 1 LOOP
    e := entries->place;
    l.count := l.count + 1;
    CONTINUE WHEN NOT e ? 'data';
    IF l.stored > 0 AND l.last < l.count - 1 THEN
      DELETE FROM tenon.entry WHERE log = l.id;
      l.stored := 0;
      l.chars := 0;
    END IF;
    INSERT INTO tenon.entry VALUES (l.id, l.count, e->>'data', (e->'chars')::float8);
    l.stored := l.stored + 1;
    l.last := l.count;
    l.chars := l.chars + (e->'chars')::float8;
  END LOOP;
  l.mark := coalesce((op->'mark')::float8, l.mark);
  l.is_followed := coalesce((op->'isFollowed')::boolean, l.is_followed);
  IF (op->'end')::boolean THEN l.ended := nextval('tenon.numbers'); END IF;
  PERFORM FROM tenon.item WHERE partition = p AND key = l.row_key;
  IF NOT FOUND THEN
    l.loose_until := moment + ${looseLogMs};
    UPDATE tenon.log SET loose_until = l.loose_until WHERE partition = p AND row_key = l.row_key;
  END IF;
  INSERT INTO tenon.log VALUES (l.*) ON CONFLICT (partition, row_key, name) DO UPDATE SET count = l.count, stored = l.stored,
    last = l.last, chars = l.chars, mark = l.mark, is_followed = l.is_followed, ended = l.ended, loose_until = l.loose_until;
  RETURN tenon.make_room(l, op->'room', tenon.shown_log(l, NULL));
END $tenon$;

CREATE FUNCTION tenon.trim_logs(p text, op jsonb) RETURNS void LANGUAGE plpgsql AS $tenon$
DECLARE s record; l tenon.log; total float8; most float8; gone record;
BEGIN
  IF op->'steps' = '"all"' THEN
    DELETE FROM tenon.log WHERE partition = p AND row_key = op->>'row';
    RETURN;
  END IF;
  FOR s IN SELECT * FROM jsonb_to_recordset(op->'steps')
      AS s (log text, above float8, delete boolean, target float8, least float8, spare float8) LOOP
    SELECT sum(chars) INTO total FROM tenon.log WHERE partition = p AND row_key = op->>'row';
    SELECT * INTO l FROM tenon.log WHERE partition = p AND row_key = op->>'row' AND name = s.log;
    CONTINUE WHEN NOT FOUND OR total <= s.above;
    IF s.delete THEN
      DELETE FROM tenon.log WHERE partition = p AND row_key = op->>'row' AND name = s.log;
      CONTINUE;
    END IF;
    most := greatest(s.least, l.chars - (total - s.target));
    WITH deleted AS (DELETE FROM tenon.entry WHERE log = l.id AND n = ANY (ARRAY(
      SELECT n FROM (SELECT n, row_number() OVER (ORDER BY n) AS place,
        l.chars - sum(chars) OVER (ORDER BY n) + chars AS before FROM tenon.entry WHERE log = l.id) e
      WHERE before > most AND place <= l.stored - s.spare)) RETURNING chars)
    SELECT count(*) AS entries, coalesce(sum(chars), 0) AS chars INTO gone FROM deleted;
    UPDATE tenon.log SET stored = stored - gone.entries, chars = chars - gone.chars,
      last = CASE WHEN stored = gone.entries THEN 0 ELSE last END
      WHERE partition = p AND row_key = l.row_key AND name = l.name AND gone.entries > 0;
  END LOOP;
END $tenon$;
`;
