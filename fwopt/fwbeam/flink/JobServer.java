/** Beam's job server for a cluster whose machines have its jars: none travels with a job, for it finds no class path to send. */
class JobServer {
  public static void main(String[] args) throws Exception {
    System.setProperty("java.class.path", "none");
    org.apache.beam.runners.flink.FlinkJobServerDriver.main(args);
  }
}
