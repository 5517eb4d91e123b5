export function grow(counter) {
  let by = $state(1);
  counter.count += by;
}
