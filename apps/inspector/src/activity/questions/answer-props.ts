/** What every kind of question gets: the question, and where its answer goes. */
import type { Answer, Question } from '../../../../../src/inspector/api.ts';

export interface AnswerProps<Kind extends Question['kind']> {
  readonly question: Extract<Question, { readonly kind: Kind }>;
  readonly onAnswer: (answer: Answer) => void;
}
