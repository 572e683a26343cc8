/** Creates a subject from a validator: a function that returns whether a value is valid. */

/** Several copies, so that the engine cannot reuse the result of one check. */
const copies = 16;

/** Validates copies of the message in turn. A wrong answer is an error, not a fast result. */
export function judging(judge, { text, valid, title }) {
  const values = Array.from({ length: copies }, () => JSON.parse(text));
  return {
    batch(size) {
      let accepted = 0;
      for (let index = 0; index < size; index += 1) if (judge(values[index % copies])) accepted += 1;
      if (accepted !== (valid ? size : 0)) throw new Error(`wrong answer to ${title}: ${accepted} of ${size} accepted`);
    },
  };
}
