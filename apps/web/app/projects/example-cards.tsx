import { Card, CardGrid } from '../ui/card.tsx';
import styles from './example-cards.module.css';
import type { Example } from './examples.server.ts';

/** Path of a poster → its URL. */
const posters = import.meta.glob<string>('./posters/*.webp', {
  query: '?url',
  import: 'default',
  eager: true,
});

/** Cards of examples. Each opens as a new draft. */
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

/** A screenshot of the running example. Decorative, because the card has the title. */
function Poster({ slug }: { slug: string }) {
  const url = posters[`./posters/${slug}.webp`];
  if (!url) return null;
  return (
    <img
      className={styles.poster}
      src={url}
      width={640}
      height={400}
      alt=""
      loading="lazy"
      decoding="async"
    />
  );
}
