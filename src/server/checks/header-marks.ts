/** Rejects a tool whose schema has an invalid `x-mcp-header`. */
import { headerMarksOf, isMarkProblem } from '../../protocol/header-marks.ts';
import { refused } from './definition-error.ts';

/** Throws `invalid-definition` with the place of an invalid `x-mcp-header`. */
export function checkHeaderMarks(place: string, schema: unknown): void {
  const found = headerMarksOf(schema);
  if (!isMarkProblem(found)) return;
  const at = [place, ...found.path].join('.');
  throw refused(`${at}["x-mcp-header"]: ${found.problem}`, found.hint);
}
