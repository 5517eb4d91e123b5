import { useState } from 'react';
import reactLogo from './assets/react.svg';
import viteLogo from '/vite.svg';
import { label } from '@/lib/label';

function App() {
  const [count, setCount] = useState(0);
  return (
    <>
      <img src={viteLogo} alt="" />
      <img src={reactLogo} alt="" />
      <button onClick={() => setCount((count) => count + 1)}>{label(count)}</button>
    </>
  );
}

export default App;
