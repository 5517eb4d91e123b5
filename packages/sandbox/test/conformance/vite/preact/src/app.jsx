import { useState } from 'preact/hooks';
import preactLogo from './assets/preact.svg';
import viteLogo from '/vite.svg';

export function App() {
  const [count, setCount] = useState(0);
  return (
    <>
      <img src={viteLogo} alt="" />
      <img src={preactLogo} alt="" />
      <button onClick={() => setCount((count) => count + 1)}>count is {count}</button>
    </>
  );
}
