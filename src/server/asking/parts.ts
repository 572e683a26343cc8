/** What asking takes beyond saying that a question cannot be asked, as one part of the program that loads by itself. */
export { readReturned } from './answers.ts';
export { Asking } from './asking.ts';
export { createPut, putAll } from './putting.ts';
export { endWithQuestions } from './returning.ts';
export { createSealer } from './sealed-state.ts';
