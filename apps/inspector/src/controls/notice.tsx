/** What is shown instead of content: an error with its hint, or a sentence for an empty pane. */
import type { ComponentChildren } from 'preact';
import type { ApiError } from '../../../../src/inspector/api.ts';
import { Icon } from './icon.tsx';

export const ErrorNotice = ({
  error,
  children,
}: {
  readonly error: ApiError;
  readonly children?: ComponentChildren;
}) => (
  <div class="notice bad" role="alert">
    <Icon name="warning" />
    <div>
      <p>
        {error.step !== undefined && <span class="chip">{error.step}</span>} {error.message}
      </p>
      {error.hint !== undefined && <p class="soft">{error.hint}</p>}
      <p class="faint mono">
        {error.code}
        {error.rpc !== undefined && ` · ${error.rpc.code}`}
      </p>
      {error.rpc?.data !== undefined && <pre class="mono data">{JSON.stringify(error.rpc.data, null, 2)}</pre>}
      {children}
    </div>
  </div>
);

export const Empty = ({ children }: { readonly children: ComponentChildren }) => <div class="empty">{children}</div>;
