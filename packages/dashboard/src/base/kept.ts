/** Small choices that a browser keeps, such as the width of the rail. Without storage, they last until the page is closed. */

const memory = new Map<string, string>()

export function kept(name: string): string | null {
  try {
    return localStorage.getItem(`tickwright.${name}`)
  } catch {
    return memory.get(name) ?? null
  }
}

export function keep(name: string, value: string): void {
  try {
    localStorage.setItem(`tickwright.${name}`, value)
  } catch {
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
