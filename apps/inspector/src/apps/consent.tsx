/** What an app wants to do, shown in full. Nothing happens before the user allows it. */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { Button } from '../controls/button.tsx';
import { shownValue, visibleText } from '../controls/format.ts';
import { Icon } from '../controls/icon.tsx';

/** Something that an app wants. */
export interface Wish {
  readonly id: number;
  readonly text: string;
  readonly details: unknown;
  readonly onAnswer: (isAllowed: boolean) => void;
}

interface ConsentProps {
  readonly wishes: readonly Wish[];
  readonly onAnswered: (wish: Wish) => void;
}

export function Consent({ wishes, onAnswered }: ConsentProps) {
  const answer = (wish: Wish, isAllowed: boolean) => (): void => {
    wish.onAnswer(isAllowed);
    onAnswered(wish);
  };
  return (
    <div aria-live="polite">
      {wishes.map((wish) => (
        <OneWish key={wish.id} wish={wish} answer={(isAllowed) => answer(wish, isAllowed)} />
      ))}
    </div>
  );
}

/** A click that was meant for the app must not allow what appears below the pointer. */
const pauseMs = 500;

interface OneWishProps {
  readonly wish: Wish;
  readonly answer: (isAllowed: boolean) => () => void;
}

function OneWish({ wish, answer }: OneWishProps) {
  const isReady = useSignal(false);
  useEffect(() => {
    const timer = setTimeout(() => (isReady.value = true), pauseMs);
    return () => clearTimeout(timer);
  }, []);
  return (
    <div class="question">
      <p class="question-from">
        <Icon name="lock" />
        <span>{visibleText(wish.text)}</span>
      </p>
      <p class="mono question-url">{visibleText(shownValue(wish.details, 2000))}</p>
      <div class="question-bar">
        <Button look="primary" onClick={answer(true)} isDisabled={!isReady.value}>
          Allow
        </Button>
        <Button onClick={answer(false)}>Refuse</Button>
      </div>
    </div>
  );
}
