/** The default for warnings: writes them to standard error, up to a limit. */
import { indentLines } from '../text/control-characters.ts';

/**
 * Warnings written to the console, unless there is `onWarning`. A hostile peer must not fill a disk with them.
 * @limit client
 * @beyond the rest is counted, and not shown
 */
const maxLines = 100;

export function createWarningLog(): (error: Error) => void {
  let lines = 0;
  return ({ message }) => {
    lines++;
    if (lines <= maxLines) console.error(`tenon: ${indentLines(message)}`);
    if (lines === maxLines) console.error('tenon: further warnings are counted, and not shown.');
  };
}
