export function loader() {
  return { title: 'A bare page' };
}

export default function Home({ loaderData }: { loaderData: { title: string } }) {
  return <h1>{loaderData.title}</h1>;
}
