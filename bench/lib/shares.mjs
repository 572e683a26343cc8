/** What rows are as fractions of a yardstick's speed, for programs. */

/** The name of the yardstick's second process. */
export const controlOf = (yardstick) => `${yardstick}, again (control)`;

/**
 * One entry for each subject with a `row`: `{ row, share, control }`. `share` is the speed of the subject, by processor
 * time, as a fraction of that of the yardstick; `control` is that of the yardstick's second process.
 */
export function sharesOf(rows, subjects, yardstick) {
  const shareOf = (wanted) => {
    const { timeOf } = rows.find(({ name }) => name === wanted);
    return Number((1 / timeOf[yardstick].median).toPrecision(3));
  };
  const control = shareOf(controlOf(yardstick));
  return subjects
    .filter(({ row }) => row !== undefined)
    .map(({ row, name }) => ({ row, share: shareOf(name), control }));
}
