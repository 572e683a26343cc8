/** A label above an input, with a note beside it and a sentence below. */
import type { ComponentChildren } from 'preact';

interface LabelledProps {
  /** The id of the input. */
  readonly id: string;
  readonly label: string;
  readonly note?: string | undefined;
  readonly about?: string | undefined;
  readonly problem?: string | undefined;
  readonly children: ComponentChildren;
}

export const Labelled = ({ id, label, note, about, problem, children }: LabelledProps) => (
  <div class="field">
    <div class="field-label">
      <label for={id}>
        <span class="field-name">{label}</span>
        {note !== undefined && <span class="required">{note}</span>}
      </label>
    </div>
    {children}
    {about !== undefined && <p class="field-about">{about}</p>}
    {problem !== undefined && <p class="field-problem">{problem}</p>}
  </div>
);
