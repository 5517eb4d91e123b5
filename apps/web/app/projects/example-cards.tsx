import { Card, CardGrid } from '../ui/card.tsx';
import styles from './example-cards.module.css';
import type { Example } from './examples.server.ts';

/** Path of a picture → its address. */
const posters = import.meta.glob<string>('./posters/*.webp', {
  query: '?url',
  import: 'default',
  eager: true,
});

/** Examples as cards; each opens as a draft of one's own. */
export function ExampleCards({ label, examples }: { label: string; examples: readonly Example[] }) {
  return (
    <CardGrid label={label}>
      {examples.map((example) => (
        <li key={example.slug}>
          <Card
            to={`/new/${example.slug}`}
            title={example.title}
            note={example.description}
            picture={<Poster slug={example.slug} />}
          />
        </li>
      ))}
    </CardGrid>
  );
}

/** The example's result as it looks a moment after it began; the title beside it says what it is. */
function Poster({ slug }: { slug: string }) {
  const address = posters[`./posters/${slug}.webp`];
  if (!address) return null;
  return (
    <img
      className={styles.poster}
      src={address}
      width={640}
      height={400}
      alt=""
      loading="lazy"
      decoding="async"
    />
  );
}
