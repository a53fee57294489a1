/** Makes frozen values from JSON. */

const { freeze, keys } = Object

export function deepFreeze(value) {
  if (typeof value !== 'object' || value === null) return value
  for (const key of keys(value)) deepFreeze(value[key])
  return freeze(value)
}

export function enumeration(names) {
  const members = {}
  for (const name of names) members[name] = name
  return freeze(members)
}
