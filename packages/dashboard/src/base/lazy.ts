/** @returns a function that makes the value when it is first asked for, and then always gives the same */
export function lazy<Value extends object | string>(make: () => Value): () => Value {
  let made: Value | undefined
  return () => (made ??= make())
}
