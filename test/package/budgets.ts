/** Budgets: pinned sizes that the present ones are compared with. */

/** Size changes that need a new budget: more than 3 % over it, or more than 15 % under it. */
export function budgetErrors(now: Record<string, number>, budgets: Record<string, number>, unit: string): string[] {
  const names = [...new Set([...Object.keys(now), ...Object.keys(budgets)])];
  return names.flatMap((name) => {
    const [size, budget] = [now[name], budgets[name]];
    if (size === undefined) return [`${name} has a budget but no source: remove it`];
    if (budget === undefined) return [`${name} has no budget: it has ${size} ${unit}`];
    if (size > budget * 1.03) return [`${name} has ${size} ${unit}, over its ${budget}`];
    return size < budget * 0.85 ? [`${name} has ${size} ${unit}, far under its ${budget}: tighten it`] : [];
  });
}
