/** Refuses a tool whose schema has parameters repeated in headers in a way that no client could follow. */
import { headerMarksOf, isMarkProblem } from '../../protocol/header-marks.ts';
import { refused } from './definition-error.ts';

/** Throws `invalid-definition` with the place of a mark that is none. */
export function checkHeaderMarks(place: string, schema: unknown): void {
  const found = headerMarksOf(schema);
  if (!isMarkProblem(found)) return;
  const at = [place, ...found.path].join('.');
  throw refused(`${at}["x-mcp-header"]: ${found.problem}`, found.hint);
}
