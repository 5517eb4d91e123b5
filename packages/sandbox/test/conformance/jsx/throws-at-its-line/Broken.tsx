interface Props {
  list?: string[];
}

export function Broken({ list }: Props) {
  return <b>{list!.length}</b>;
}
