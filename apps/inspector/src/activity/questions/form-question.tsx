/** An elicitation with a form. */
import { useSignal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import { checkValue, initialValue, planForm } from '../../../../../src/json-schema/form-plan.ts';
import { Button } from '../../controls/button.tsx';
import { Form } from '../../form/form.tsx';
import type { AnswerProps } from './answer-props.ts';

type Fields = Readonly<Record<string, unknown>>;

export function FormQuestion({ question, onAnswer }: AnswerProps<'form'>) {
  const { message, requestedSchema } = question.request;
  const plan = useMemo(() => planForm(requestedSchema), [requestedSchema]);
  const value = useSignal<unknown>(initialValue(plan) ?? {});
  const isTried = useSignal(false);
  const problems = checkValue(plan, value.value);
  const submit = (event: Event): void => {
    event.preventDefault();
    isTried.value = true;
    if (problems.length === 0) onAnswer({ action: 'accept', content: value.value as Fields });
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) submit(event);
  };
  return (
    <form onSubmit={submit} onKeyDown={onKeyDown} noValidate>
      <p class="question-text">{message}</p>
      <Form
        field={plan}
        id={question.id}
        value={value.value}
        onChange={(next) => (value.value = next)}
        problems={isTried.value ? problems : []}
      />
      <div class="question-bar">
        <Button type="submit" variant="primary">
          Accept
        </Button>
        <Button onClick={() => onAnswer({ action: 'decline' })}>Decline</Button>
        <Button variant="quiet" onClick={() => onAnswer({ action: 'cancel' })}>
          Cancel
        </Button>
      </div>
    </form>
  );
}
