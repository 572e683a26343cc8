/** The work that one check may do: each step spends, and the check ends when nothing is left. */

/** Thrown when the budget is spent, and caught where the check began. */
export class BudgetSpent extends Error {
  override readonly name = 'BudgetSpent';
}

export interface Budget {
  readonly refill: (steps: number) => void;
  /** Throws `BudgetSpent` when nothing is left. */
  readonly spend: (steps: number) => void;
}

export function createBudget(): Budget {
  let left = 0;
  return {
    refill(steps) {
      left = steps;
    },
    spend(steps) {
      left -= steps;
      if (left < 0) throw new BudgetSpent();
    },
  };
}
