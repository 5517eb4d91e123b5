import { createSignal } from 'solid-js';

export function App() {
  const [count, setCount] = createSignal(0);

  return (
    <main>
      <h1>Make something</h1>
      <p>Change a word, a color, or a number and watch this page update.</p>
      <button type="button" onClick={() => setCount(count() + 1)}>
        Count: <output>{count()}</output>
      </button>
    </main>
  );
}
