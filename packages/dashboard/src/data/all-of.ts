/** Everything of a list that is read part by part. */
export async function allOf<Item>(parts: AsyncIterable<Item>): Promise<Item[]> {
  const items: Item[] = []
  for await (const item of parts) items.push(item)
  return items
}
