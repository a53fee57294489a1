/** A function that calculates its answer once for each object, and keeps it as long as the object. */
export function onceEach<Key extends object, Value>(calculate: (key: Key) => Value): (key: Key) => Value {
  const known = new WeakMap<Key, { value: Value }>()
  return (key) => {
    const kept = known.get(key) ?? { value: calculate(key) }
    known.set(key, kept)
    return kept.value
  }
}
