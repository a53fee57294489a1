import { plainText } from '../../base/text.ts'
import { ChoiceFilter } from '../Filter.tsx'
import { type ChosenFolder, type Placed, readFolder } from './tree.ts'

/** The choice of a folder where there is no room for a tree. */
export function FolderFilter({
  tree,
  chosen,
  onChange,
}: {
  tree: readonly Placed[]
  chosen: ChosenFolder
  onChange: (folder: ChosenFolder) => void
}) {
  return (
    <ChoiceFilter
      label="Folder"
      all="Any folder"
      choices={[
        { value: 'none', text: 'In no folder' },
        ...tree.map(({ id, path }) => ({ value: String(id), text: plainText(path) })),
      ]}
      value={chosen === undefined ? undefined : String(chosen)}
      onChange={(folder) => onChange(readFolder(folder))}
    />
  )
}
