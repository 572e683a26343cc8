/** What every field gets, and the attributes that connect an input with its texts. */
import type { ComponentType } from 'preact';
import type { FormField, FormProblem } from '../../../../src/json-schema/form-plan.ts';

export interface FieldProps<Field extends FormField = FormField> {
  readonly field: Field;
  readonly id: string;
  /** `undefined` if it is left out. */
  readonly value: unknown;
  readonly onChange: (value: unknown) => void;
  /** What is wrong at this place and below it. */
  readonly problems: readonly FormProblem[];
  /** Draws the fields inside this one. */
  readonly Part: ComponentType<PartProps>;
}

/** A field inside another: without its label if it stands for the whole, as an option of a union does. */
export type PartProps = Omit<FieldProps, 'Part'> & { readonly isBare?: boolean };

/** A text as an id, or as a part of one. Attributes such as `aria-describedby` separate ids by blanks, so that none may be in one. */
export const idOf = (text: string): string => text.replace(/[%\s]/g, (char) => `%${char.charCodeAt(0).toString(16)}`);

/** The problems below one place. */
export const problemsIn = (problems: readonly FormProblem[], place: string | number): readonly FormProblem[] =>
  problems.filter(({ path }) => path[0] === place).map(({ path, message }) => ({ path: path.slice(1), message }));

/** What is wrong with the value itself. */
export const problemHere = (problems: readonly FormProblem[]): string | undefined =>
  problems.find(({ path }) => path.length === 0)?.message;

export const describedBy = ({ field, id, problems }: PartProps): string | undefined =>
  [field.description === undefined ? '' : `${id}-about`, problemHere(problems) === undefined ? '' : `${id}-problem`]
    .join(' ')
    .trim() || undefined;

export const describes = (props: PartProps) => ({
  id: props.id,
  'aria-describedby': describedBy(props),
  'aria-invalid': problemHere(props.problems) !== undefined,
  'aria-required': props.field.isRequired,
});
