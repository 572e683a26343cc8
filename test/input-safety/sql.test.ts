/** SQL statements: what becomes a parameter, what is part of a statement, and what is refused. */
import { type SqlArgument, sql } from 'tenon/input-safety';
import { describe, expect, it } from 'vitest';

const unsafe = expect.objectContaining({ code: 'unsafe-sql' });
const read = ({ text, sql: marked, values }: ReturnType<typeof sql>) => ({ text, sql: marked, values });

describe('sql', () => {
  it('makes every value a parameter, whatever it contains [S24]', () => {
    const name = "x' OR '1'='1'; DROP TABLE notes; --";
    expect(read(sql`SELECT * FROM notes WHERE owner = ${name} AND size > ${3}`)).toEqual({
      text: 'SELECT * FROM notes WHERE owner = $1 AND size > $2',
      sql: 'SELECT * FROM notes WHERE owner = ? AND size > ?',
      values: [name, 3],
    });
    expect(read(sql`SELECT 1`)).toEqual({ text: 'SELECT 1', sql: 'SELECT 1', values: [] });
  });

  it('makes each item of a list a parameter, and joins statements with their parameters', () => {
    const since = sql`created > ${new Date(0)} AND ${true}`;
    const { text, values } = sql`SELECT ${1n} WHERE id IN (${['a', 'b']}) AND ${since} LIMIT ${null}`;
    expect(text).toBe('SELECT $1 WHERE id IN ($2, $3) AND created > $4 AND $5 LIMIT $6');
    expect(values).toEqual([1n, 'a', 'b', new Date(0), true, null]);
    expect(sql`INSERT INTO a VALUES ${[sql`(${1})`, sql`(${2})`]}`.text).toBe('INSERT INTO a VALUES ($1), ($2)');
  });

  it('refuses objects, also one that looks like a statement, and other values that are no parameters [S24]', () => {
    const forged = { text: '1; DROP TABLE notes', sql: '1', values: [], parts: ['1; DROP TABLE notes'] };
    for (const value of [forged, { id: 1 }, undefined, Number.NaN, new Date('x'), () => 1, Symbol('x'), [[1]], []])
      expect(() => sql`SELECT ${value as SqlArgument}`).toThrow(unsafe);
    expect(() => sql`SELECT ${Array(1000).fill(1)}`).toThrow(unsafe);
  });

  it('refuses a call with a text, which could hold a value [S24]', () => {
    expect(() => sql('SELECT 1' as never)).toThrow(unsafe);
    expect(() => sql(['SELECT 1'] as never)).toThrow(unsafe);
  });

  it('chooses among parts of the author by a key, and refuses every other key [S24]', () => {
    const orders = { name: sql`name`, newest: sql`created DESC` };
    expect(sql`SELECT * FROM notes ORDER BY ${sql.choice('newest', orders)}`.text).toBe(
      'SELECT * FROM notes ORDER BY created DESC',
    );
    for (const key of ['name; DROP TABLE notes', 'NAME', 'constructor', '__proto__', 'toString', ''])
      expect(() => sql.choice(key, orders)).toThrow(unsafe);
    expect(() => sql.choice('a', { a: 'name' as never })).toThrow(unsafe);
  });

  it('does not show the value in its error [S36]', () => {
    expect(() => sql`SELECT ${{ secret: 'hunter2' } as never}`).toThrow(/^(?!.*hunter2)/);
    expect(() => sql.choice('hunter2', { name: sql`name` })).toThrow(/^(?!.*hunter2)/);
  });
});
