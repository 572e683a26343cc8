/** A text area for JSON that grows with its text, with colours behind it. */
import { jsonTokens } from './json-tokens.ts';

interface JsonEditorProps {
  readonly id?: string;
  readonly value: string;
  readonly onChange: (text: string) => void;
  readonly minRows?: number;
  readonly maxRows?: number;
  readonly placeholder?: string;
  readonly label?: string;
  readonly 'aria-describedby'?: string | undefined;
  readonly 'aria-invalid'?: boolean;
}

/** Longer texts are shown without colours: each token is an element. */
const maxColouredChars = 20_000;

export function JsonEditor(props: JsonEditorProps) {
  const { id, value, onChange, minRows = 6, maxRows = 24, placeholder, label } = props;
  const rows = Math.min(maxRows, Math.max(minRows, value.split('\n').length));
  const tokens = value.length > maxColouredChars ? [] : jsonTokens(value);
  return (
    <div class={`json-editor ${tokens.length === 0 ? 'plain' : ''}`}>
      <pre aria-hidden="true">
        {tokens.map(({ kind, text }, at) => (
          <span key={at} class={`json-${kind}`}>
            {text}
          </span>
        ))}
        {'\n'}
      </pre>
      <textarea
        id={id}
        aria-label={label}
        aria-describedby={props['aria-describedby']}
        aria-invalid={props['aria-invalid']}
        rows={rows}
        value={value}
        placeholder={placeholder}
        spellcheck={false}
        autocomplete="off"
        autocapitalize="off"
        onInput={(event) => onChange(event.currentTarget.value)}
        onScroll={(event) => {
          const behind = event.currentTarget.previousElementSibling;
          if (behind !== null) behind.scrollTop = event.currentTarget.scrollTop;
        }}
      />
    </div>
  );
}
