/** Buttons: with a text, or with an icon whose name is read aloud and shown as a tooltip. */
import type { ComponentChildren } from 'preact';
import { Icon, type IconName } from './icon.tsx';

interface ButtonProps {
  readonly onClick?: ((event: MouseEvent) => void) | undefined;
  readonly children: ComponentChildren;
  readonly icon?: IconName;
  /** `primary` is the one action that a pane is for. */
  readonly variant?: 'primary' | 'plain' | 'quiet' | 'danger';
  readonly isDisabled?: boolean;
  readonly type?: 'button' | 'submit';
  readonly keys?: string;
  readonly title?: string;
}

export const Button = (props: ButtonProps) => {
  const { onClick, children, icon, variant = 'plain', isDisabled = false, type = 'button', keys, title } = props;
  return (
    <button type={type} class={`button ${variant}`} onClick={onClick} disabled={isDisabled} title={title}>
      {icon !== undefined && <Icon name={icon} />}
      <span>{children}</span>
      {keys !== undefined && <kbd>{keys}</kbd>}
    </button>
  );
};

interface IconButtonProps {
  readonly icon: IconName;
  readonly label: string;
  readonly onClick: () => void;
  readonly isPressed?: boolean;
  readonly isDisabled?: boolean;
}

export const IconButton = ({ icon, label, onClick, isPressed, isDisabled = false }: IconButtonProps) => (
  <button
    type="button"
    class="icon-button"
    aria-label={label}
    title={label}
    aria-pressed={isPressed}
    disabled={isDisabled}
    onClick={onClick}
  >
    <Icon name={icon} />
  </button>
);

interface SegmentsProps<Value extends string> {
  readonly label: string;
  readonly value: Value;
  readonly options: readonly (readonly [Value, string])[];
  readonly onChange: (value: Value) => void;
}

/** One of a few views of the same thing. */
export const Segments = <Value extends string>({ label, value, options, onChange }: SegmentsProps<Value>) => (
  <div class="segments" role="group" aria-label={label}>
    {options.map(([option, text]) => (
      <button key={option} type="button" aria-pressed={option === value} onClick={() => onChange(option)}>
        {text}
      </button>
    ))}
  </div>
);
