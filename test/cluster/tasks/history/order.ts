/** What the task of the matrix is to do: ten steps, with a question after the third and one after the seventh. */

const steps = Array.from({ length: 10 }, (_, n) => `s${n}`);

export const order = {
  steps,
  questions: ['first', 'second'],
  askedAfter: { s2: 'first', s6: 'second' } as Readonly<Record<string, string | undefined>>,
};

/** The result, as the tool writes it. */
export const resultText = (done: readonly string[], answers: readonly string[]): string =>
  JSON.stringify({ steps: done, answers });
