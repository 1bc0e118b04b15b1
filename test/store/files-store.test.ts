import { openFilesStore } from "../../src/store/files/open-files-store.ts";
import { temporaryFolder } from "../support/workspace.ts";
import { describeStore } from "./describe-store.ts";

describeStore("files", async () => {
  const workspace = temporaryFolder();
  return { open: (setting) => openFilesStore(workspace, setting) };
});
