export default function Home() {
  return (
    <main>
      <h1>Vitrine</h1>
    </main>
  );
}
