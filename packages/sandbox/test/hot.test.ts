import { describe, expect, it } from 'vitest';
import { setUpChromium } from './rig/chromium.ts';
import { realPackages } from './rig/real-packages.ts';

const at = setUpChromium();

const html = (script: string) =>
  `<!doctype html><title>Start</title><div id="root"></div><script type="module" src="${script}"></script>`;

const react = {
  ...realPackages('react', 'react-dom'),
  'index.html': html('src/main.tsx'),
  'src/main.tsx': `import { createRoot } from 'react-dom/client';
import { App } from './App';
createRoot(document.querySelector('#root')!).render(<App />);`,
  'src/App.tsx': `import { useState } from 'react';
import { label } from './label';

export function App() {
  const [count, setCount] = useState(0);
  return <button onClick={() => setCount(count + 1)}>{label}: {count}</button>;
}`,
  'src/label.ts': `export const label: string = 'Count';`,
};

const button = `document.querySelector('button')?.textContent`;
const click = `document.querySelector('button').click()`;
/** Says that the document is still the one that it was put into. */
const mark = '(() => { window.kept = true })()';

describe.each([
  { path: 'served', isPortable: false },
  { path: 'portable', isPortable: true },
])('hot replacement on the $path path', ({ isPortable }) => {
  const run = (files: Record<string, string>) => at.workspace.run({ files, isPortable });
  const shows = (text: string) => at.workspace.untilInResult(button, (shown) => shown === text);
  const isKept = () => at.workspace.inResult('window.kept === true');

  it('keeps the state of a React component whose text is edited', async () => {
    await run(react);
    await shows('Count: 0');
    await at.workspace.inResult(mark);
    await at.workspace.inResult(click);
    await shows('Count: 1');
    await at.workspace.edit({ 'src/App.tsx': react['src/App.tsx'].replace('{label}:', '{label}!') });
    await shows('Count! 1');
    await at.workspace.edit({ 'src/label.ts': `export const label = 'Sum';` });
    await shows('Sum! 1');
    expect(await isKept()).toBe(true);
    expect((await at.workspace.seen()).problems).toEqual([]);
  });
});
