/** The values of `--compat`: dialects, and at most one table of error codes. The names are checked by the manifest. */
import type { CompatOptions, Dialect } from '../../protocol/dialects/compat-options.ts';
import type { ErrorCodeTable } from '../../protocol/dialects/error-codes.ts';
import { usageError } from '../usage-error.ts';

export function readCompat<D extends Dialect>(
  names: readonly string[],
  known: readonly D[],
): CompatOptions<D> | undefined {
  if (names.length === 0) return undefined;
  const isDialect = (name: string): name is D => (known as readonly string[]).includes(name);
  const dialects = names.filter(isDialect);
  const [errorCodes, ...others] = names.filter((name): name is ErrorCodeTable => !isDialect(name));
  if (others.length > 0) throw usageError('--compat has two tables of error codes.', 'Name one of them.');
  return { ...(dialects.length > 0 && { dialects }), ...(errorCodes !== undefined && { errorCodes }) };
}
