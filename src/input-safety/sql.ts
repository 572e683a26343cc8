/** SQL statements with untrusted values: every value is a parameter, and none becomes part of the text. */
import { TenonError } from '../lib/errors/tenon-error.ts';

/** What a parameter of a statement may be. */
export type SqlValue = string | number | bigint | boolean | Date | Uint8Array | null;

/** A statement, or a part of one, with its parameters apart. */
export interface SqlStatement {
  /** The statement with `$1`, `$2`, … for its parameters, as PostgreSQL has them. */
  readonly text: string;
  /** The statement with `?` for its parameters, as SQLite and MySQL have them. */
  readonly sql: string;
  /** The parameters, in their order. */
  readonly values: readonly SqlValue[];
}

/**
 * Parameters of a statement of `sql`. The least that common databases accept: SQL Server has 2100, older SQLite 999.
 * @limit input safety
 * @beyond the statement is rejected
 * @code unsafe-sql
 */
const maxParameters = 999;

/**
 * Builds a statement: sql`SELECT * FROM notes WHERE owner = ${owner} AND id IN (${ids})`. A value becomes a parameter, a list one
 * parameter for each item, and another statement of `sql` a part of this one. Names of tables and columns cannot be
 * parameters: choose one of your own parts with `sql.choice`. Throws `unsafe-sql`.
 */
export function sql(template: TemplateStringsArray, ...values: readonly SqlArgument[]): SqlStatement {
  // Called as a function, a text with untrusted parts would become the statement.
  if (!Array.isArray(template) || !Array.isArray((template as { raw?: unknown }).raw))
    throw new TenonError('unsafe-sql', 'sql is called as a function.', { hint: 'Write it before a template: sql`…`.' });
  const parts: string[] = [];
  const parameters: SqlValue[] = [];
  // The text that was written since the last parameter.
  let open = '';
  const add = (value: SqlArgument, position: number): void => {
    if (value instanceof Statement) {
      const [first = '', ...rest] = value.parts;
      open += first;
      for (const [index, part] of rest.entries()) addParameter(value.values[index] as SqlValue, part);
    } else addParameter(parameterOf(value, position), '');
  };
  const addParameter = (value: SqlValue, after: string): void => {
    if (parameters.push(value) > maxParameters) throw unsafe(`has more than ${maxParameters} parameters`, manyHint);
    parts.push(open);
    open = after;
  };
  for (const [index, text] of template.entries()) {
    open += text;
    const value = values[index];
    if (index >= values.length) continue;
    const items = Array.isArray(value) ? (value as readonly SqlArgument[]) : [value as SqlArgument];
    if (items.length === 0) throw unsafe(`has an empty list as value ${index + 1}`, emptyHint);
    for (const [at, item] of items.entries()) {
      if (at > 0) open += ', ';
      add(item, index + 1);
    }
  }
  return new Statement([...parts, open], parameters);
}

/** Chooses one of your own parts by an untrusted key, such as the column to sort by. Throws `unsafe-sql` for any other key. */
sql.choice = (key: string, parts: Readonly<Record<string, SqlStatement>>): SqlStatement => {
  const chosen = typeof key === 'string' && Object.hasOwn(parts, key) ? parts[key] : undefined;
  if (chosen instanceof Statement) return chosen;
  throw unsafe('has a choice that is not offered', `Choose one of: ${Object.keys(parts).join(', ')}.`);
};

/** What a template of `sql` takes: a value, a statement, or a list of either. */
export type SqlArgument = SqlValue | SqlStatement | readonly (SqlValue | SqlStatement)[];

/** A class, so that an object of a caller that has the same fields is not taken for a statement. */
class Statement implements SqlStatement {
  /** The texts between the parameters: always one more than there are parameters. */
  readonly parts: readonly string[];
  readonly values: readonly SqlValue[];

  constructor(parts: readonly string[], values: readonly SqlValue[]) {
    this.parts = parts;
    this.values = Object.freeze(values);
  }

  get text(): string {
    return this.parts.reduce((text, part, index) => `${text}$${index}${part}`);
  }

  get sql(): string {
    return this.parts.join('?');
  }
}

function parameterOf(value: SqlArgument, position: number): SqlValue {
  const kind = typeof value;
  const isPlain = kind === 'string' || kind === 'bigint' || kind === 'boolean' || value === null;
  if (isPlain || Number.isFinite(value) || value instanceof Uint8Array) return value as SqlValue;
  if (value instanceof Date && !Number.isNaN(value.getTime())) return value;
  // Drivers turn objects into texts of SQL, each in its own way.
  throw unsafe(`cannot have value ${position} as a parameter`, 'Pass a text, number, boolean, date, bytes or null.');
}

const emptyHint = 'An empty list of values is no SQL: handle that case before.';
const manyHint = 'Pass the values in several statements.';

/** The value is not shown: it is untrusted, and may be a secret. */
const unsafe = (problem: string, hint: string): TenonError =>
  new TenonError('unsafe-sql', `The statement ${problem}.`, { hint });
