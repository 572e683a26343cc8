/** Why values of one schema do not fit into another. */

/** A place inside a value: `from.lat`, `days[].high`; empty for the value itself. */
export type Path = string;

export type ProblemKind =
  /** A field that the receiver requires may be missing. */
  | 'missing'
  /** A field is sent that the receiver refuses. */
  | 'refused'
  /** A field is sent that the receiver does not mention. */
  | 'ignored'
  /** A field that the receiver mentions is never sent. */
  | 'unsent'
  /** Fields that neither of them mentions are refused. */
  | 'others'
  /** Values that the receiver does not take. */
  | 'values';

export interface Problem {
  readonly path: Path;
  readonly kind: ProblemKind;
  /** Whether values exist that do not fit, or that is not known. */
  readonly isCertain: boolean;
  /** The values that do not fit, in words: `null`, `less than 1`. */
  readonly what: string;
  /** Whether the sender mentions the field. */
  readonly isDeclared: boolean;
}

export const problem = (
  kind: ProblemKind,
  path: Path,
  { what = '', isCertain = true, isDeclared = true }: Partial<Problem> = {},
): Problem => ({ path, kind, isCertain, what, isDeclared });

/** The path of a field. A name that could be read as a path is quoted. */
export const fieldPath = (path: Path, name: string): Path =>
  /^[\w$-]+$/.test(name) ? (path === '' ? name : `${path}.${name}`) : `${path}[${JSON.stringify(name)}]`;

/** Steps of a place: a server may give it any length, and each place has the names of all above it. */
export const stepsOf = (path: Path): number => Math.floor(path.length / 256);

export const uncertain = (problems: readonly Problem[]): Problem[] =>
  problems.map((one) => ({ ...one, isCertain: false }));
