/** The rail of sections at the left; on a narrow screen the bar at the bottom. */
import { Icon, type IconName } from '../controls/icon.tsx';
import { choose, isNarrow, narrowPane, place, type Section } from '../state/place.ts';
import { client, questions } from '../state/store.ts';

/** In the order of their shortcuts. */
export const sections: readonly (readonly [Section & IconName, string])[] = [
  ['tools', 'Tools'],
  ['resources', 'Resources'],
  ['prompts', 'Prompts'],
  ['apps', 'Apps'],
  ['server', 'Server'],
];

export function Rail() {
  return (
    <nav class="rail" aria-label="Sections">
      {sections.map(([section, text]) => (
        <SectionButton key={section} section={section} text={text} />
      ))}
      <PaneButton pane="activity" text="Activity" count={questions.value.length} />
      <PaneButton pane="timeline" text="Timeline" count={0} />
    </nav>
  );
}

function SectionButton({ section, text }: { readonly section: Section & IconName; readonly text: string }) {
  const isHere = place.value.section === section && narrowPane.value === 'section';
  const go = (): void => {
    // A second press goes back to the list.
    if (isHere && isNarrow.value) choose({ name: undefined });
    else choose({ section });
    narrowPane.value = 'section';
  };
  return (
    <button
      type="button"
      aria-current={place.value.section === section ? 'page' : undefined}
      class={isHere ? 'here' : undefined}
      disabled={client.value === undefined}
      onClick={go}
    >
      <Icon name={section} />
      <span>{text}</span>
    </button>
  );
}

interface PaneProps {
  readonly pane: 'activity' | 'timeline';
  readonly text: string;
  readonly count: number;
}

/** Only on a narrow screen: a wide one shows these panes always. */
const PaneButton = ({ pane, text, count }: PaneProps) => (
  <button
    type="button"
    class={`only-narrow ${narrowPane.value === pane ? 'here' : ''}`}
    onClick={() => (narrowPane.value = pane)}
  >
    <Icon name={pane} />
    <span>{text}</span>
    {count > 0 && (
      <span class="count" aria-label={`${count} questions wait`}>
        {count}
      </span>
    )}
  </button>
);
