/** The default for warnings: writes them to standard error, up to a limit. */

/** A hostile peer must not fill a disk with warnings. */
const maxLines = 100;

export function createWarningLog(): (error: Error) => void {
  let lines = 0;
  return ({ message }) => {
    lines++;
    if (lines <= maxLines) console.error(`tenon: ${message}`);
    if (lines === maxLines) console.error('tenon: further warnings are counted, and not shown.');
  };
}
