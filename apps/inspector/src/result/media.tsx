/** Images and sounds of results, and a link to save what is neither. Bytes stay in the page: nothing is fetched. */
import { useEffect, useState } from 'preact/hooks';
import { shownBytes, shownValue } from '../controls/format.ts';
import { Icon } from '../controls/icon.tsx';

/** Images of these types have no script; an SVG in an `img` element runs none either. */
const isImage = (type: string): boolean => /^image\/(?:png|jpe?g|gif|webp|avif|bmp|svg\+xml)$/.test(type);
const isAudio = (type: string): boolean => /^audio\/[\w.+-]+$/.test(type);

interface MediaProps {
  readonly data: string;
  readonly mimeType: string;
}

export function MediaView({ data, mimeType }: MediaProps) {
  const url = useObjectUrl(data);
  const [size, setSize] = useState('');
  if (url === undefined) return <p class="soft">The data is not valid base64.</p>;
  return (
    <figure class="media">
      {isImage(mimeType) && (
        <img
          src={`data:${mimeType};base64,${data}`}
          alt={`The result, ${mimeType}`}
          onError={() => setSize('not an image that the browser can show')}
          onLoad={({ currentTarget: { naturalWidth, naturalHeight } }) => setSize(`${naturalWidth} × ${naturalHeight}`)}
        />
      )}
      {isAudio(mimeType) && (
        <audio controls src={`data:${mimeType};base64,${data}`} aria-label={`The result, ${mimeType}`} />
      )}
      <figcaption>
        <span class="chip">{shownValue(mimeType)}</span>
        <span class="faint">{[shownBytes(url.bytes), size].filter((text) => text !== '').join(' · ')}</span>
        <a href={url.href} download={`result.${mimeType.split(/[/+;]/)[1]?.replace(/[^\w]/g, '') ?? 'bin'}`}>
          <Icon name="save" /> Save
        </a>
      </figcaption>
    </figure>
  );
}

interface ObjectUrl {
  readonly href: string;
  readonly bytes: number;
}

/** To be saved only: of this type no browser shows it as a page of the inspector, which could run what is in it. */
const savedType = 'application/octet-stream';

function useObjectUrl(data: string): ObjectUrl | undefined {
  const [url, setUrl] = useState<ObjectUrl | undefined>(undefined);
  useEffect(() => {
    const bytes = bytesOf(data);
    if (bytes === undefined) return undefined;
    const href = URL.createObjectURL(new Blob([bytes], { type: savedType }));
    setUrl({ href, bytes: bytes.length });
    return () => URL.revokeObjectURL(href);
  }, [data]);
  return url;
}

function bytesOf(data: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(data), (char) => char.charCodeAt(0));
  } catch {
    return undefined;
  }
}
