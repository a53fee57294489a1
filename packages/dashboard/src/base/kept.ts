/** Small choices that a browser keeps, such as the width of the rail. Without storage, they last until the page is closed. */

/** What the storage has no room for. */
const memory = new Map<string, string>()

export function kept(name: string): string | null {
  try {
    return memory.get(name) ?? localStorage.getItem(`tickwright.${name}`)
  } catch {
    return null
  }
}

export function keep(name: string, value: string): void {
  memory.delete(name)
  try {
    localStorage.setItem(`tickwright.${name}`, value)
  } catch {
    // An older value must not come back after a reload.
    forget(name)
    memory.set(name, value)
  }
}

export function forget(name: string): void {
  memory.delete(name)
  try {
    localStorage.removeItem(`tickwright.${name}`)
  } catch {
    // Without storage, there was nothing in it.
  }
}
