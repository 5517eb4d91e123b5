const List = ({ items }: { items: number[] }) => (
  <ul>
    {items.map((item) => (
      <li key={item}>{item}</li>
    ))}
  </ul>
);
document.querySelector("p")!.append(<List items={[1, 2, 3]} />);
